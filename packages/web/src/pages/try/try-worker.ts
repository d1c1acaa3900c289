// Runs in the browser, started by assets/try.js. scripts/bundle-program.js bundles it into dist.
import { decode, restore, type RosettaEntry, type Scheme } from '@packs/codec'
import { composePrompt, compress } from '@packs/codec/compress'
import { getTokenizer, listLinkPlaces } from '@packs/codec/internal'

interface TryTask {
  readonly text: string
  readonly scheme: Scheme
}

interface TryResult {
  readonly scheme: Scheme
  readonly source: number
  /** Tokens of header and content, as everywhere. */
  readonly tokens: number
  readonly head: number
  /** What is copied: the prompt, without addresses of links. */
  readonly copied: { readonly text: string; readonly tokens: number }
  /** The prompt up to the header, or up to the content if there is no header. */
  readonly instruction: string
  readonly entries: readonly TryEntry[]
  /** Pieces of text, indexes of entries where their terms are, and numbers of links. */
  readonly parts: readonly TryPart[]
  /** Rows of offset, length and text: what left the text, and where. */
  readonly patch: Awaited<ReturnType<typeof compress>>['patch']
  readonly isExact: boolean
}

type TryPart = string | number | { readonly number: string; readonly address: string }

interface TryEntry extends RosettaEntry {
  /** The text that the term decodes to, with references to other terms resolved. */
  readonly full: string
}

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
  const packed = await compress(text, { scheme })
  const { text: prompt, rosetta, terms, tokens, links } = await composePrompt([packed])
  const head = terms.length > 0 ? packed.tokens.rosetta : 0
  const isNumbered = Object.keys(links).length > 0
  const copied = isNumbered
    ? await composePrompt([packed], { scheme, links: 'drop' })
    : { text: prompt, tokens }
  const tokenizer = getTokenizer('o200k_base')
  const headerAt = terms.length > 0 ? prompt.indexOf(rosetta) : 0
  // A prompt with a header has its text in tags; without, it ends with the text.
  const tagged = prompt.slice(headerAt + rosetta.length + 2)
  const content =
    terms.length > 0
      ? tagged.slice(tagged.indexOf('\n') + 1, tagged.lastIndexOf('\n</'))
      : prompt.slice(prompt.length - packed.text.length)
  return {
    scheme,
    source: packed.tokens.source,
    tokens: head + tokenizer.countTokens(content),
    head,
    copied: { text: copied.text, tokens: copied.tokens },
    instruction: prompt.slice(0, terms.length > 0 ? headerAt : prompt.length - content.length),
    entries: resolveEntries(terms, rosetta),
    parts: splitContent(content, terms, links),
    patch: packed.patch,
    isExact: decode(content, rosetta) === packed.text && restore(packed) === text,
  }
}

function resolveEntries(entries: readonly RosettaEntry[], rosetta: string): TryEntry[] {
  const full = decode(entries.map(({ term }) => term).join(SEPARATOR), rosetta).split(SEPARATOR)
  return entries.map(({ term, expansion }, at) => ({ term, expansion, full: full[at] ?? expansion }))
}

/**
 * The decoder itself finds the terms, with one character in place of each expansion; none if the
 * text has such characters itself.
 */
function splitContent(
  content: string,
  entries: readonly RosettaEntry[],
  links: Readonly<Record<string, string>>,
): TryPart[] {
  const isMarked = entries.length > 0 && !STAND_IN.test(content)
  const marked = entries.map(({ term }, at) => ({ term, expansion: String.fromCodePoint(FIRST + at) }))
  const text = isMarked ? decode(content, { entries: marked }) : content
  const parts: TryPart[] = []
  const add = (from: number, to: number): void => {
    const pieces = isMarked ? text.slice(from, to).split(STAND_IN) : [text.slice(from, to)]
    for (const part of pieces)
      parts.push(isMarked && STAND_IN.test(part) ? part.codePointAt(0)! - FIRST : part)
  }
  let end = 0
  for (const { from, to, number } of Object.keys(links).length > 0 ? listLinkPlaces(text) : []) {
    const address = links[number]
    if (address === undefined) continue
    add(end, from)
    parts.push({ number, address })
    end = to
  }
  add(end, text.length)
  return parts
}
