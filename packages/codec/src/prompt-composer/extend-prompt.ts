import { CompressError } from '../compress/compress-error.ts'
import type { CompressedSet } from '../compress/compress-set.ts'
import { decode } from '../decode/decode.ts'
import { createExpander } from '../decode/create-expander.ts'
import { CodecError } from '../errors.ts'
import { frameContents, INSTRUCTION } from '../prompt/frame-packs.ts'
import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import { checkInput } from './check-input.ts'
import { resolveSettings } from './compose-prompt.ts'
import { countAnew } from './count-anew.ts'
import type { PromptSettings } from './plan-prompt.ts'
import { planAdditions } from './plan-additions.ts'
import { type PriorTerms, readPriorTerms } from './prior-terms.ts'
import { agreeOnTokenizer, readBodies } from './read-packs.ts'
import type { ComposeOptions, PromptDocument, PromptExtension } from './types.ts'

/** A prompt that is extended: composed, or composed and extended before. */
export interface PriorPrompt {
  /** The whole text so far. */
  readonly text: string
  /** The header that decodes it. */
  readonly rosetta: string
  readonly tokenizer?: TokenizerName | undefined
  /** What the addition is written in, unless its options say otherwise. */
  readonly scheme?: Scheme | undefined
}

/**
 * Adds packs to a prompt without changing what was sent before, so that a provider's cache of the prefix still holds.
 * Send `prompt.text + append`; `rosetta` decodes all contents of both. Terms of the prompt that stand
 * literally in a pack are escaped by entries of their own, which may cost more than the plain source.
 *
 * The added packs use the terms of the prompt for phrases that it has terms for. Of the ways to write the addition,
 * with new entries or without, the one with the fewest tokens is taken. Exact, and proven before it returns.
 *
 * @param options `budget` is for the whole text.
 * @throws {CompressError} as `composePrompt`; `term_collision` if no character is left for a term
 * @throws {CodecError} for a header of the prompt that cannot be read
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * const first = extendPrompt(prompt, [pack])
 * const text = prompt.text + first.append
 * const second = extendPrompt({ ...prompt, text, rosetta: first.rosetta }, [another])
 */
export function extendPrompt(
  prompt: PriorPrompt,
  packs: readonly PromptDocument[],
  options: Omit<ComposeOptions, 'fit'> = {},
): PromptExtension {
  checkInput(packs, options)
  const settings = resolveSettings(packs, {
    ...options,
    scheme: options.scheme ?? prompt.scheme,
    tokenizer: options.tokenizer ?? agreeOnTokenizer(packs, prompt.tokenizer),
  })
  const { tokenizer } = settings
  const bodies = readBodies(packs, false)
  const prior = readPriorTerms(prompt.rosetta, tokenizer)
  const before = decode(prompt.text, prior)
  const additions = planAdditions(prompt.text, packs, bodies, prior, settings).flatMap((planned) => {
    const written = writeAddition(prompt.text, packs, planned, prior, [before, ...bodies])
    return written ? [{ ...written, tokens: tokenizer.countTokens(written.append) }] : []
  })
  const [first, ...others] = additions
  if (!first) throw new Error('No addition decodes to its sources; please report the prompt and the packs')
  const best = others.reduce((least, one) => (one.tokens < least.tokens ? one : least), first)
  if (options.budget !== undefined) {
    const tokens = tokenizer.countTokens(prompt.text + best.append)
    if (tokens > options.budget) throw overBudgetError(tokens, options.budget, packs, best.contents, settings)
  }
  let anew: number | undefined
  return {
    append: best.append,
    rosetta: best.rosetta,
    terms: best.terms,
    tokens: best.tokens,
    get anew() {
      return (anew ??= countAnew(prompt.text, prior.entries, packs, bodies, settings))
    },
  }
}

interface Addition {
  readonly append: string
  readonly contents: readonly string[]
  readonly rosetta: string
  readonly terms: readonly RosettaEntry[]
}

/**
 * Writes an addition; undefined if it is not exact, or if the joined header is larger than the format allows.
 *
 * @param sources what the text of the prompt and each content must decode to
 */
function writeAddition(
  text: string,
  packs: readonly PromptDocument[],
  { contents, entries }: CompressedSet,
  prior: PriorTerms,
  sources: readonly string[],
): Addition | undefined {
  const terms = [...prior.entries, ...entries]
  try {
    const rosetta = serializeRosetta({ entries: terms })
    if (!isExact([text, ...contents], sources, prior, terms)) return undefined
    const header = entries.length > 0 ? `${serializeRosetta({ entries })}\n\n` : ''
    const instruction = header !== '' && prior.entries.length === 0 ? INSTRUCTION : ''
    const head = (text === '' || text.endsWith('\n') ? '' : '\n') + instruction + header
    return { append: head + frameContents(packs, contents, text + head), contents, rosetta, terms }
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/** Whether the joined header decodes all texts, and gives the entries of the prompt the expansions that they had. */
function isExact(
  texts: readonly string[],
  sources: readonly string[],
  { meanings }: PriorTerms,
  entries: readonly RosettaEntry[],
): boolean {
  const { expansions, expand } = createExpander({ entries }, sources.join('\n').length + 1)
  // No term holds a line end, so one decoder reads all texts.
  return (
    meanings.every((meaning, entry) => expansions[entry + 1] === meaning) &&
    texts.every((text, index) => expand(`${text}\n`, false) === `${sources[index]}\n`)
  )
}

function overBudgetError(
  tokens: number,
  budget: number,
  packs: readonly PromptDocument[],
  contents: readonly string[],
  { tokenizer }: PromptSettings,
): CompressError {
  return new CompressError(
    'over_budget',
    `The extended prompt takes ${tokens} tokens; the budget is ${budget}`,
    'Raise the budget, add fewer packs, or compose all packs anew.',
    {
      tokens,
      shares: packs.map(({ slug }, index) => ({ slug, tokens: tokenizer.countTokens(contents[index]!) })),
    },
  )
}
