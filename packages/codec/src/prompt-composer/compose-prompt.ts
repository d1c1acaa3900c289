import { CompressError } from '../compress/compress-error.ts'
import { resolveOptions } from '../compress/compress.ts'
import { DEFAULT_WORTH_HEADER } from '../compress/cost/prompt-savings.ts'
import { checkInput, agreeOnTokenizer, findDensestScheme, readBodies } from './read-packs.ts'
import { planPrompt, type PromptSettings } from './plan-prompt.ts'
import { digestValue } from './prompt-state.ts'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from './types.ts'

/**
 * Composes the prompt of several packs that takes the fewest tokens: the plain sources in tags, the
 * packs as they were built with one merged header, or all sources compressed together with one
 * header. The whole text is counted: instruction, header, tags and contents.
 *
 * Exact, and verified before it returns: each content decodes to the source of its pack. Takes the
 * sources unless another plan saves what `worthHeader` demands. A single pack gets no tags; its
 * title is written above it if the author stated one and the body does not begin with it. The same
 * packs and options give the same bytes everywhere.
 *
 * @param packs In the order of the prompt; at most 16 MiB of sources in UTF-8.
 * @throws {CompressError} `invalid_pack`, `undecodable_pack`, `mixed_tokenizers`,
 *   `source_too_large` with the pack; `over_budget` with the shares of all packs; `invalid_option`;
 *   `invalid_scheme`; `invalid_glossary` for the rules of the options
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * const { text, rosetta, plan } = composePrompt(packs, { scheme: 'dense-1' })
 * const answer = await ask(text, question)
 * decode(text, rosetta) // the prompt with the bodies of the packs
 */
export function composePrompt(
  packs: readonly PromptDocument[],
  options: ComposeOptions = {},
): ComposedPrompt {
  checkInput(packs, options)
  const settings = resolveSettings(packs, options)
  const { tokenizer, ...wishes } = settings
  const { budget, fit } = options
  const documents = packs.map((pack) => FIELDS.map((field) => pack[field]))
  return cachePrompt([documents, tokenizer.name, wishes, budget, fit], () => {
    const isPartEnough = fit === 'first' && budget !== undefined
    const bodies = readBodies(packs, isPartEnough)
    const plan = (count: number): ComposedPrompt =>
      planPrompt(packs.slice(0, count), bodies.slice(0, count), settings)
    if (budget === undefined) return plan(bodies.length)
    return fit === 'first'
      ? fitPrompt(bodies, budget, plan, settings)
      : keepBudget(plan(bodies.length), budget)
  })
}

/** The fields of a pack that a prompt depends on. */
const FIELDS = [
  ...(['content', 'rosetta', 'title', 'slug', 'description', 'format', 'front_matter'] as const),
  ...(['glossary', 'code', 'tokens', 'token_count', 'rosetta_tokens'] as const),
  ...(['uncompressed_estimate', 'tokenizer'] as const),
]

export function resolveSettings(packs: readonly PromptDocument[], options: ComposeOptions): PromptSettings {
  const { scheme, tokenizer, glossary } = resolveOptions({
    scheme: options.scheme ?? findDensestScheme(packs),
    tokenizer: options.tokenizer ?? agreeOnTokenizer(packs),
    glossary: options.glossary ?? [],
  })
  const { code, asBuilt = false, worthHeader = DEFAULT_WORTH_HEADER } = options
  return { scheme, tokenizer, glossary, code, asBuilt, worthHeader }
}

function fitPrompt(
  bodies: readonly string[],
  budget: number,
  plan: (count: number) => ComposedPrompt,
  { tokenizer }: PromptSettings,
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
    `Not even the first pack fits: it takes ${tokens.toLocaleString('en-US')} tokens (plan ${describePlan(chosen)}); the budget is ${budget.toLocaleString('en-US')}`,
    `Raise the budget to at least ${tokens}, or begin with a smaller pack.`,
    { tokens, shares, pack: { index: 0, slug: shares[0]?.slug } },
  )
}

function keepBudget(prompt: ComposedPrompt, budget: number): ComposedPrompt {
  const { tokens, shares, plan } = prompt
  if (tokens <= budget) return prompt
  throw new CompressError(
    'over_budget',
    `The prompt (plan ${describePlan(plan)}) takes ${tokens.toLocaleString('en-US')} tokens; the budget is ${budget.toLocaleString('en-US')}`,
    'Raise the budget, name fewer packs, or set fit to first to take only the first packs that fit.',
    { tokens, shares },
  )
}

function describePlan({ chosen }: ComposedPrompt['plan']): string {
  return chosen === 'asBuilt' ? 'as built' : chosen
}

const MAX_PROMPTS = 16
/** Maximum UTF-16 units of all texts and headers together. */
const MAX_UNITS = 16 * 1024 * 1024

/**
 * The most recent prompts, by a digest of everything they depend on; the least recently used is
 * first.
 */
const prompts = new Map<string, ComposedPrompt>()

/**
 * Returns the cached prompt of an input, or composes it. Inputs are identified by their digests,
 * and a few prompts are kept.
 *
 * @param input JSON values that determine the prompt
 */
function cachePrompt(input: unknown, compose: () => ComposedPrompt): ComposedPrompt {
  const key = digestValue(input)
  const prompt = prompts.get(key) ?? compose()
  prompts.delete(key)
  prompts.set(key, prompt)
  let units = 0
  for (const { text, rosetta } of prompts.values()) units += text.length + 2 * rosetta.length
  for (const [oldest, { text, rosetta }] of prompts) {
    if (prompts.size <= MAX_PROMPTS && units <= MAX_UNITS) break
    units -= text.length + 2 * rosetta.length
    prompts.delete(oldest)
  }
  // A caller may change the returned object.
  return structuredClone(prompt)
}

/** Interpolations before the range is halved instead. */
const MAX_GUESSES = 3

/**
 * Finds how many packs of a set, taken in order, fit into a budget, with few compositions: it tries
 * twice the packs whose sources would fit, then searches between the largest number that fits and
 * the smallest that does not.
 *
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
  /**
   * The largest number of packs whose sources together have at most `limit` tokens. Counts one
   * source more than fits.
   */
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
