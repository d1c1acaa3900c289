import { compress } from '../../src/compress/compress.ts'
import type { ComposedPrompt, PromptDocument } from '../../src/prompt/types.ts'
import '../load-o200k-base.ts'
import { DATA_SENTENCE, LINKS_SENTENCE } from '../../src/frame-packs.ts'
import { decode } from '../../src/index.ts'
import type { Scheme } from '../../src/types.ts'

const SENTENCES = [
  'The certificate transparency log keeps every signed certificate timestamp.',
  'A monitor reads the certificate transparency log and warns the domain owner.',
  'Each signed certificate timestamp names the certificate transparency log that gave it.',
  'The domain owner asks the certificate authority for a new certificate.',
]

/** A few lines about one subject, so that texts of it share phrases. */
export function writeText(subject: string, lines: number): string {
  const body = Array.from({ length: lines }, (_, line) => `- ${subject} ${line}: ${SENTENCES[line % 4]}`)
  return [`# ${subject}`, '', ...body, ''].join('\n')
}

/** Makes a document of a text, as `pack build` would. */
export function makeDocument(text: string, slug: string, scheme: Scheme = 'dense-2'): PromptDocument {
  const { content, rosetta, scheme: compression } = compress(text, { scheme })
  return { slug, content, rosetta, compression }
}

/** Reads the sources out of a prompt, as a program would: frame by frame, each decoded with the prompt's header. */
export function readSources({ text, rosetta, terms }: ComposedPrompt): string[] {
  const isBare = terms.length === 0 && !text.startsWith(`${DATA_SENTENCE}\n`)
  if (isBare) return text === '' ? [] : [text]
  const head = terms.length > 0 ? text.indexOf(rosetta) + rosetta.length + 2 : DATA_SENTENCE.length + 1
  const body = text.slice(head).replace(LINKS_SENTENCE, '')
  const name = /^<([^ >]+)/.exec(body)?.[1]
  const frames = body.split(`\n</${name}>\n`)
  return frames.slice(0, -1).map((frame) => decode(frame.slice(frame.indexOf('\n') + 1), rosetta))
}
