import { CompressError } from '../compress/compress-error.ts'
import { type ResolvedOptions, resolveOptions } from '../compress/compress.ts'
import { DEFAULT_WORTH_HEADER, isWorthHeader } from '../compress/cost/prompt-savings.ts'
import { type CompressedSet, compressSet } from '../compress/encode-text.ts'
import { createExpander } from '../decode/create-expander.ts'
import { CodecError } from '../errors.ts'
import { framePacks, LINKS_SENTENCE, listFrames, writeHead } from '../frame-packs.ts'
import { joinLinks, type LinkForm, listLinkPlaces, selectLinks, writeLinks } from '../links/write-links.ts'
import { parseRosetta, serializeRosetta } from '../rosetta/parse-rosetta.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import {
  joinGlossaries,
  agreeOnTokenizer,
  checkInput,
  findDensestScheme,
  noteDuplicates,
  readBodies,
} from './read-packs.ts'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from './types.ts'

/**
 * Composes the prompt of several packs that takes the fewest tokens: the plain texts in tags, or
 * all packs with one header. The whole text is counted: instruction, header, tags and contents.
 * One header comes from compressing all texts together; a single pack keeps the header that it was
 * built with, unless options ask for another scheme, glossary or treatment of code. Exact, and
 * verified before it returns: each content decodes to the text of its pack. Takes the texts unless
 * the header saves what `worthHeader` demands. Every prompt says once that documents are data, and
 * has each in tags; only one text without a name and a header is written as it is. The same packs
 * and options give the same bytes everywhere. To add a pack to a prompt that was sent, append its
 * text, which needs no header.
 * @throws {CompressError} as `composePrompt` of the entry does
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 */
export function composePrompt(
  packs: readonly PromptDocument[],
  options: ComposeOptions = {},
): ComposedPrompt {
  checkInput(packs, options)
  const settings = resolveSettings(packs, options)
  const { fit } = options
  // A text, as from a command line, is a number too.
  const budget = options.budget === undefined ? undefined : Number(options.budget)
  const bodies = readBodies(packs, fit === 'first' && budget !== undefined, options.scheme === 'none')
  const plan = (count: number): ComposedPrompt =>
    planPrompt(packs.slice(0, count), bodies.slice(0, count), settings)
  if (budget === undefined) return plan(bodies.length)
  return fit === 'first' ? fitPrompt(bodies, budget, plan, settings) : keepBudget(plan(bodies.length), budget)
}

interface Settings extends Pick<ResolvedOptions, 'scheme' | 'tokenizer' | 'glossary' | 'worthHeader'> {
  /** Overrides the packs. */
  readonly code: boolean | undefined
  readonly keepsHeader: boolean
  readonly links: LinkForm
}

function resolveSettings(packs: readonly PromptDocument[], options: ComposeOptions): Settings {
  const { scheme, tokenizer, glossary } = resolveOptions({
    scheme: options.scheme ?? findDensestScheme(packs),
    tokenizer: options.tokenizer ?? agreeOnTokenizer(packs),
    glossary: options.glossary ?? [],
  })
  const { code, worthHeader = DEFAULT_WORTH_HEADER, links = 'number' } = options
  const keepsHeader = (options.scheme ?? options.glossary ?? code) === undefined
  return { scheme, tokenizer, glossary, code, worthHeader, keepsHeader, links }
}

/** Writes the prompt both ways, and verifies the one with the fewest tokens. */
function planPrompt(
  packs: readonly PromptDocument[],
  read: readonly string[],
  settings: Settings,
): ComposedPrompt {
  const { tokenizer, scheme, worthHeader } = settings
  const { texts: bodies, links } = writeAllLinks(packs, read, settings.links)
  const isNumbered = Object.keys(links).length > 0
  const reserved = listFrames(packs)
  const write = (set: CompressedSet | undefined): WrittenPrompt | undefined =>
    set && writePrompt(packs, bodies, set, { isNumbered, tokenizer })
  const texts = write({ contents: bodies, entries: [] })!
  const { rules, notes } = joinGlossaries(settings.glossary, packs, bodies, reserved)
  const built = settings.keepsHeader && bodies[0] === read[0] ? readBuilt(packs, reserved) : undefined
  const together = write(built ?? compressBodies(packs, bodies, reserved, { ...settings, glossary: rules }))
  const isCheaper =
    together !== undefined &&
    together.tokens < texts.tokens &&
    isWorthHeader(texts.tokens, together.tokens, worthHeader)
  const best = isCheaper ? together : texts
  verifyExact(best, bodies, reserved)
  return {
    text: best.text,
    rosetta: best.rosetta,
    terms: best.entries,
    links,
    tokens: best.tokens,
    tokenizer: tokenizer.name,
    scheme,
    plan: {
      chosen: isCheaper ? 'together' : 'texts',
      costs: { texts: texts.tokens, together: together?.tokens },
    },
    packs: packs.length,
    shares: packs.map(({ slug }, index) => ({ slug, tokens: best.shares[index]! })),
    notes: [...notes, ...noteDuplicates(packs, bodies)],
  }
}

/** Writes the links of all packs in a form, with the addresses of the numbers that are left. */
function writeAllLinks(
  packs: readonly PromptDocument[],
  read: readonly string[],
  form: LinkForm,
): Pick<ComposedPrompt, 'links'> & { readonly texts: readonly string[] } {
  const linked = packs.map(({ links = [], url, minify }, index) => {
    return { text: read[index]!, links, url, dialect: minify?.dialect }
  })
  if (form !== 'number')
    return {
      texts: linked.map(({ text, links, ...options }) => writeLinks(text, links, form, options)),
      links: {},
    }
  const [only] = linked
  if (linked.length === 1)
    return { texts: read, links: selectLinks(listLinkPlaces(only!.text, only!.dialect), only!.links, only) }
  const { texts, links } = joinLinks(linked)
  return { texts, links: Object.fromEntries(links.map((address, index) => [index + 1, address])) }
}

interface WrittenPrompt extends CompressedSet {
  readonly text: string
  readonly rosetta: string
  readonly tokens: number
  /** Tokens of each content with its tags. */
  readonly shares: readonly number[]
}

/** A single pack as it was built, unless one of its terms occurs in its tags. */
function readBuilt(packs: readonly PromptDocument[], reserved: string): CompressedSet | undefined {
  if (packs.length !== 1) return undefined
  const [{ content, rosetta }] = packs as [PromptDocument]
  const { entries } = parseRosetta(rosetta ?? '[DECODE]')
  if (createExpander({ entries }).expand(reserved, true) !== reserved) return undefined
  return { contents: [content], entries }
}

/** Compresses the bodies with one header; undefined if that is not possible. */
function compressBodies(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  reserved: string,
  { scheme, tokenizer, glossary, code }: Settings,
): CompressedSet | undefined {
  if (scheme === 'none' || packs.length === 0 || !bodies.every((body) => body.isWellFormed()))
    return undefined
  return compressSet(bodies, {
    scheme,
    tokenizer,
    glossary,
    code: packs.map((pack) => code ?? pack.code !== false),
    reserved,
  })
}

interface PromptFrame {
  readonly isNumbered: boolean
  readonly tokenizer: Tokenizer
}

/** Undefined if the header is too large. A `<` after a line end begins a token: counts add up. */
function writePrompt(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  set: CompressedSet,
  { isNumbered, tokenizer }: PromptFrame,
): WrittenPrompt | undefined {
  const { contents, entries } = set
  const rosetta = serializeOrSkip(set)
  if (rosetta === undefined) return undefined
  const header = entries.length > 0 ? rosetta : undefined
  const count = (part: string): number => tokenizer.countTokens(part)
  const [{ format, slug, title } = {}] = packs
  // Nothing says that the text is a pack, which may come from somebody else.
  if (header === undefined && packs.length === 1 && !(format ?? slug ?? title)) {
    const text = (isNumbered ? `${LINKS_SENTENCE}\n` : '') + contents[0]!
    return {
      ...set,
      text,
      rosetta,
      tokens: count(text),
      shares: contents.map(count),
    }
  }
  const text = contents.length === 0 ? '' : framePacks(packs, contents, header, bodies, isNumbered)
  const start = contents.length === 0 ? 0 : writeHead(header, isNumbered).length
  const shares = splitFrames(text.slice(start)).map(count)
  const tokens = shares.reduce((sum, share) => sum + share, count(text.slice(0, start)))
  return { ...set, text, rosetta, tokens, shares }
}

function serializeOrSkip({ entries }: CompressedSet): string | undefined {
  try {
    return serializeRosetta({ entries })
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/** Splits a text after each closing tag of a content, whose name occurs nowhere else. */
function splitFrames(text: string): readonly string[] {
  const end = `</${/^<([\w-]+)/.exec(text.slice(0, 20))?.[1]}>\n`
  return text
    .split(end)
    .slice(0, -1)
    .map((frame) => frame + end)
}

/** Throws if a content, or the text around it, does not decode to what it should. */
function verifyExact(
  { contents, rosetta }: WrittenPrompt,
  bodies: readonly string[],
  reserved: string,
): void {
  const texts = [...bodies, reserved]
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0)
  // One decoder reads all texts: no term contains a line end, and a line end counts like the end of a content.
  const { expand } = createExpander(rosetta, length)
  const written = [...contents, reserved]
  const isExact = written.every((text, index) => expand(`${text}\n`, false) === `${texts[index]}\n`)
  if (isExact && contents.length === bodies.length) return
  throw new Error('The prompt does not decode to its texts; please report the packs')
}

function fitPrompt(
  bodies: readonly string[],
  budget: number,
  plan: (count: number) => ComposedPrompt,
  { tokenizer }: Settings,
): ComposedPrompt {
  let best: ComposedPrompt | undefined
  let first: ComposedPrompt | undefined
  const countSource = (index: number): number => tokenizer.countTokens(bodies[index]!)
  countFittingPacks(bodies.length, countSource, budget, (count) => {
    const prompt = plan(count)
    if (prompt.tokens <= budget) best = prompt
    if (count === 1) first = prompt
    return prompt.tokens
  })
  if (best) return best
  first ??= plan(Math.min(1, bodies.length))
  if (first.tokens <= budget) return first
  const { tokens, shares, plan: chosen } = first
  throw new CompressError(
    'over_budget',
    `Not even the first pack fits: it takes ${tokens.toLocaleString('en-US')} tokens (plan ${chosen.chosen}); the budget is ${budget.toLocaleString('en-US')}`,
    `Raise the budget to at least ${tokens}, or begin with a smaller pack.`,
    { tokens, shares, pack: { index: 0, slug: shares[0]?.slug } },
  )
}

function keepBudget(prompt: ComposedPrompt, budget: number): ComposedPrompt {
  const { tokens, shares } = prompt
  if (tokens <= budget) return prompt
  throw new CompressError(
    'over_budget',
    `${tokens.toLocaleString('en-US')} tokens, ${(tokens - budget).toLocaleString('en-US')} over the budget of ${budget.toLocaleString('en-US')}`,
    'Raise the budget, name fewer packs, or set fit to first to take only the first packs that fit.',
    { tokens, shares },
  )
}

/** Interpolations before the range is halved instead. */
const MAX_GUESSES = 3

/**
 * Finds how many packs of a set, taken in order, fit into a budget, with few compositions: it tries
 * twice the packs whose sources would fit, then searches between the largest number that fits and
 * the smallest that does not.
 * @param all number of packs
 * @param countSource returns the tokens of a source; called at most once for each, in order, and
 *   only as far as the search needs
 * @param compose returns the tokens of the prompt of the first packs
 * @returns 0 if not even the first fits
 */
export function countFittingPacks(
  all: number,
  countSource: (index: number) => number,
  budget: number,
  compose: (count: number) => number,
): number {
  const sums = [0]
  let fits = 0
  /** Most packs whose sources have at most `limit` tokens. Counts one source more. */
  const countWithin = (limit: number): number => {
    while (sums.length <= all && (sums.at(-1)! <= limit || sums.length <= fits + 1))
      sums.push(sums.at(-1)! + countSource(sums.length - 1))
    return sums.findLastIndex((sum) => sum <= limit)
  }
  let paid = 0
  let fails = all + 1
  let failed = Infinity
  const attempt = (count: number): void => {
    const tokens = compose(count)
    if (tokens <= budget) [fits, paid] = [count, tokens]
    else [fails, failed] = [count, tokens]
  }
  for (let limit = 2 * budget; fits < all && fails > all; limit *= 2) {
    attempt(Math.min(all, Math.max(fits + 1, countWithin(limit))))
  }
  for (let guesses = 0; fails - fits > 1; guesses++) {
    const share = (budget - paid) / (failed - paid)
    const limit = sums[fits]! + share * (sums[fails]! - sums[fits]!)
    const guess = guesses < MAX_GUESSES ? countWithin(limit) : Math.floor((fits + fails) / 2)
    attempt(Math.min(fails - 1, Math.max(fits + 1, guess)))
  }
  return fits
}
