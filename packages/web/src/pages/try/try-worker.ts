// Runs in the browser, started by assets/try.js. scripts/bundle-program.js bundles it into dist.
import { decode, type RosettaEntry, type Scheme } from '@packs/codec'
import { composePrompt } from '@packs/codec/compress'
import { getTokenizer } from '@packs/codec/internal'

/** What the page asks for: a text in one scheme. */
interface TryTask {
  readonly text: string
  readonly scheme: Scheme
}

interface TryResult {
  readonly scheme: Scheme
  /** Tokens of the text as it is. */
  readonly source: number
  /** Tokens of the prompt: instruction, header and content. */
  readonly tokens: number
  /** Tokens of instruction and header. */
  readonly head: number
  readonly prompt: string
  /** The prompt up to the header; empty if there is no header. */
  readonly instruction: string
  readonly entries: readonly TryEntry[]
  /** The content: pieces of text, and indexes of entries where their terms are. */
  readonly parts: readonly (string | number)[]
  /** Whether the content decodes to the text. */
  readonly isExact: boolean
}

interface TryEntry extends RosettaEntry {
  /** The text that the term decodes to, with references to other terms resolved. */
  readonly full: string
}

const BARE = '[DECODE]'
/** Code points that stand for entries: those of a plane for private use. */
const FIRST = 0xf0000
const SEPARATOR = '\u{FFFFD}'
const STAND_IN = /([\u{F0000}-\u{FFFFD}])/u

/** The part of a worker's global scope that is used here. */
declare const self: {
  onmessage: (event: { readonly data: TryTask }) => Promise<void>
  postMessage(message: TryResult | { readonly failure: string }): void
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await compressText(data))
  } catch (error) {
    self.postMessage({ failure: error instanceof Error ? error.message : String(error) })
  }
}
// The first texts take several times as long as later ones, so short ones go first.
for (const scheme of ['minify-1', 'dense-2', 'max-2'] as const)
  await compressText({ text: 'The certificate authority signs it. '.repeat(20), scheme })
// The page may send a task now.
self.postMessage({ failure: '' })

async function compressText({ text, scheme }: TryTask): Promise<TryResult> {
  const composed = await composePrompt([{ content: text, rosetta: BARE }], { scheme })
  const { text: prompt, rosetta, terms, tokens } = composed
  const tokenizer = getTokenizer('o200k_base')
  const headerAt = terms.length > 0 ? prompt.indexOf(rosetta) : 0
  const content = terms.length > 0 ? prompt.slice(headerAt + rosetta.length + 2) : prompt
  return {
    scheme,
    source: scheme === 'none' ? tokens : tokenizer.countTokens(text),
    tokens,
    head: tokens - tokenizer.countTokens(content),
    prompt,
    instruction: prompt.slice(0, headerAt),
    entries: resolveEntries(terms, rosetta),
    parts: splitAtTerms(content, terms),
    isExact: decode(content, rosetta) === text,
  }
}

function resolveEntries(entries: readonly RosettaEntry[], rosetta: string): TryEntry[] {
  const full = decode(entries.map(({ term }) => term).join(SEPARATOR), rosetta).split(SEPARATOR)
  return entries.map(({ term, expansion }, at) => ({ term, expansion, full: full[at] ?? expansion }))
}

/**
 * Splits a content at its terms. The decoder itself finds them, with one character in place of each
 * expansion. Marks nothing if the text has such characters itself.
 */
function splitAtTerms(content: string, entries: readonly RosettaEntry[]): (string | number)[] {
  if (entries.length === 0 || STAND_IN.test(content)) return [content]
  const marked = entries.map(({ term }, at) => ({ term, expansion: String.fromCodePoint(FIRST + at) }))
  return decode(content, { entries: marked })
    .split(STAND_IN)
    .map((part) => (STAND_IN.test(part) ? part.codePointAt(0)! - FIRST : part))
}
