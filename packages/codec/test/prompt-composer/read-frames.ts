import { decode } from '../../src/index.ts'
import type { PriorPrompt } from '../../src/prompt-composer/index.ts'
import { writeState } from '../../src/prompt-composer/prompt-state.ts'

/** Makes a prompt of any text and header, as if it had been composed. */
export function makePrior(text: string, rosetta: string): PriorPrompt {
  return { text, rosetta, state: writeState(text, rosetta, []) }
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
