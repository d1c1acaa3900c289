import type { ResolvedOptions } from '../compress/compress.ts'
import { isWorthHeader } from '../compress/cost/prompt-savings.ts'
import { type CompressedSet, compressSet } from '../compress/encode-text.ts'
import { isKnownWord, means } from '../compress/terms/known-words.ts'
import { createExpander } from '../decode/create-expander.ts'
import { CodecError } from '../errors.ts'
import { type DecodedPack, expandPack } from '../prompt/decoded-pack.ts'
import { framePacks, listFrames } from '../prompt/frame-packs.ts'
import { decodePacks, mergePacks } from '../prompt/merge-packs.ts'
import { mergeProfitably } from '../prompt/system-prompt.ts'
import { serializeRosetta } from '../rosetta/parse-rosetta.ts'
import type { Tokenizer } from '../tokens/types.ts'
import { followsRules, joinGlossaries } from './join-glossaries.ts'
import { digestValue, writeState } from './prompt-state.ts'
import { noteDuplicates } from './read-packs.ts'
import type { ComposedPrompt, PromptDocument, PromptPlan } from './types.ts'

/** {@link ComposeOptions} with all defaults filled in, but for the budget. */
export interface PromptSettings extends Pick<
  ResolvedOptions,
  'scheme' | 'tokenizer' | 'glossary' | 'worthHeader'
> {
  /** Overrides the packs. */
  readonly code: boolean | undefined
  readonly asBuilt: boolean
}

/**
 * Writes the prompt of all packs by each plan and returns the one with the fewest tokens, verified
 * to be exact: the sources unless another plan saves enough.
 */
export function planPrompt(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  settings: PromptSettings,
): ComposedPrompt {
  const { tokenizer, scheme, worthHeader } = settings
  const above = packs.length === 1 ? writeTitle(packs[0]!, bodies[0]!) : ''
  const reserved = above || listFrames(packs)
  const { rules, notes } = joinGlossaries(settings.glossary, packs, bodies, reserved)
  const count = createPartCounter(tokenizer)
  const write = (plan: PromptPlan, planned: CompressedSet | undefined): WrittenPrompt | undefined => {
    const written = planned && writePrompt(packs, bodies, planned, above)
    return written && { ...written, plan, ...countPrompt(written, count) }
  }
  const sources = write('sources', { contents: bodies, entries: [] })!
  const asBuilt = findCheapest(
    (scheme === 'none' ? [] : mergeBuilt(packs, reserved))
      .filter((built) => followsRules(built, bodies, rules))
      .map((built) => write('asBuilt', built)),
  )
  const together = write(
    'together',
    compressBodies(packs, bodies, reserved, { ...settings, glossary: rules }),
  )
  const cheapest = findCheapest([sources, asBuilt, together])!
  const best = isWorthHeader(sources.tokens, cheapest.tokens, worthHeader) ? cheapest : sources
  verifyExact(best, bodies, reserved)
  return {
    text: best.text,
    rosetta: best.rosetta,
    terms: best.entries,
    state: writeState(best.text, best.rosetta, bodies.map(digestValue)),
    tokens: best.tokens,
    tokenizer: tokenizer.name,
    scheme,
    plan: {
      chosen: best.plan,
      costs: { sources: sources.tokens, asBuilt: asBuilt?.tokens, together: together?.tokens },
    },
    packs: packs.length,
    shares: packs.map(({ slug }, index) => ({ slug, tokens: best.shares[index]! })),
    notes: [...notes, ...noteDuplicates(packs, bodies)],
  }
}

/** A whole prompt, not yet counted. */
interface PromptText extends CompressedSet {
  readonly text: string
  readonly rosetta: string
}

interface WrittenPrompt extends PromptText {
  readonly plan: PromptPlan
  readonly tokens: number
  /** Tokens of each content with its tags. */
  readonly shares: readonly number[]
}

/** Returns the text with the fewest tokens, the first of several; undefined if there is none. */
export function findCheapest<Text extends { readonly tokens: number }>(
  prompts: readonly (Text | undefined)[],
): Text | undefined {
  let best: Text | undefined
  for (const prompt of prompts) if (prompt && !(best && best.tokens <= prompt.tokens)) best = prompt
  return best
}

/**
 * Merges the packs as built: all of them, and those that pay for the header by the counts that they
 * state, as `systemPrompt` does. Returns none if they have more terms than a header can hold.
 */
function mergeBuilt(packs: readonly PromptDocument[], reserved: string): CompressedSet[] {
  try {
    const decoded = decodePacks(packs).map((pack, index) =>
      hasKnownWord(pack, packs[index]!) ? expandPack(pack.source) : pack,
    )
    const all = mergePacks(decoded, reserved)
    const paying = mergeProfitably(packs, all, { percent: 0, tokens: 1 })
    // Without entries the result is the sources.
    return paying === all || paying.entries.length === 0 ? [all] : [all, paying]
  } catch (error) {
    if (error instanceof CodecError) return []
    throw error
  }
}

/**
 * Whether a pack has a term that readers know as something else (SPEC.md §8.6, T10), except those
 * of its author.
 */
function hasKnownWord({ terms, meanings }: DecodedPack, { glossary = [] }: PromptDocument): boolean {
  return terms.some((term, entry) => {
    if (!isKnownWord(term) || means(term, meanings[entry]!)) return false
    return !glossary.some((rule) => rule.term === term)
  })
}

/** Compresses the bodies with one header; undefined if that is not possible. */
function compressBodies(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  reserved: string,
  { scheme, tokenizer, glossary, code, asBuilt }: PromptSettings,
): CompressedSet | undefined {
  if (asBuilt || scheme === 'none' || packs.length === 0 || !bodies.every((body) => body.isWellFormed()))
    return undefined
  return compressSet(bodies, {
    scheme,
    tokenizer,
    glossary,
    code: packs.map((pack) => code ?? pack.code === true),
    reserved,
  })
}

/** Writes the whole text; undefined if the header is larger than the format allows. */
function writePrompt(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  planned: CompressedSet,
  above: string,
): PromptText | undefined {
  const { contents, entries } = planned
  try {
    const rosetta = serializeRosetta({ entries })
    return {
      ...planned,
      rosetta,
      text: framePacks(packs, contents, entries.length > 0 ? rosetta : undefined, above, bodies),
    }
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/**
 * Throws if a content, or the text around the contents, does not decode to what it should with the
 * header of the prompt.
 */
function verifyExact({ contents, rosetta }: PromptText, bodies: readonly string[], reserved: string): void {
  const texts = [...bodies, reserved]
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0)
  // One decoder reads all texts: no term contains a line end, and a line end counts like the end of a content.
  const { expand } = createExpander(rosetta, length)
  const written = [...contents, reserved]
  const isExact = written.every((text, index) => expand(`${text}\n`, false) === `${texts[index]}\n`)
  if (isExact && contents.length === bodies.length) return
  throw new Error('The prompt does not decode to its sources; please report the packs')
}

/** Counts the tokens of a part; plans share parts, and each is counted once. */
function createPartCounter(tokenizer: Tokenizer): (part: string) => number {
  const counts = new Map<string, number>()
  return (part) => {
    const tokens = counts.get(part) ?? tokenizer.countTokens(part)
    counts.set(part, tokens)
    return tokens
  }
}

/**
 * Counts a prompt, and each content with its tags. In both tokenizers a `<` after a line end begins
 * a token, so these counts add up.
 */
function countPrompt(
  { text, rosetta, entries, contents }: PromptText,
  count: (part: string) => number,
): Pick<WrittenPrompt, 'tokens' | 'shares'> {
  const start = entries.length > 0 ? text.indexOf(rosetta) + rosetta.length + 2 : 0
  if (contents.length < 2)
    return { tokens: count(text), shares: contents.map(() => count(text.slice(start))) }
  // The name of the tags occurs nowhere else.
  const end = `</${/^<([\w-]+)/.exec(text.slice(start, start + 20))![1]}>\n`
  const shares = text
    .slice(start)
    .split(end)
    .slice(0, -1)
    .map((frame) => count(frame + end))
  return { tokens: shares.reduce((sum, tokens) => sum + tokens, count(text.slice(0, start))), shares }
}

type TitledPack = Pick<PromptDocument, 'title' | 'description' | 'format' | 'front_matter'>

/**
 * Returns a title to write above the body of a pack, and its description: as a heading and a
 * paragraph. Empty if its author stated no title, or if the first line or heading of the body is
 * the title.
 */
export function writeTitle(pack: TitledPack, body: string): string {
  const title = joinLines(pack.title ?? '')
  if (!title || !isStated(pack, title) || beginsWith(body, fold(title))) return ''
  const description = joinLines(pack.description ?? '')
  return `# ${title}\n\n${description && `${description}\n\n`}`
}

function isStated({ format, front_matter: front = '' }: TitledPack, title: string): boolean {
  return format === undefined || fold(front).includes(`title${fold(title)}`)
}

/** Most UTF-16 units of a body in which its first heading is looked for. */
const BEGINNING = 65_536

/** @param title folded */
function beginsWith(body: string, title: string): boolean {
  const beginning = body.slice(0, BEGINNING)
  return [/\S.*/, /^ {0,3}#{1,6}[ \t].*/m].some((pattern) => {
    const line = pattern.exec(beginning)?.[0] ?? ''
    const plain = line.replace(/<[^<>]*>|\]\([^()]*\)|\{#[^{}]*\}/g, '')
    return fold(line) === title || fold(plain) === title
  })
}

/**
 * Reduces a text to its letters and digits, so that markdown, quotes and spaces make no difference.
 */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
}

function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
