import { decode } from '../../src/index.ts'
import { extendPrompt, type PriorPrompt, type PromptDocument } from '../../src/prompt-composer/index.ts'

/** Returns the prompt with further packs. */
export function extend(prompt: PriorPrompt, packs: readonly PromptDocument[]): PriorPrompt {
  const { append, rosetta } = extendPrompt(prompt, packs)
  return { text: prompt.text + append, rosetta }
}

/** Reads the framed contents of a prompt in order, whatever the names of their frames, and decodes each. */
export function readFrames(text: string, rosetta: string): string[] {
  const contents: string[] = []
  const frames = /(?<![^\n])<(pack(?:-\d+)?)(?: title="[^"\n]*")?>\n/g
  for (let frame = frames.exec(text); frame !== null; frame = frames.exec(text)) {
    const start = frame.index + frame[0].length
    const end = text.indexOf(`\n</${frame[1]}>\n`, start)
    contents.push(decode(text.slice(start, end), rosetta))
    frames.lastIndex = end + `\n</${frame[1]}>\n`.length
  }
  return contents
}
