import { CompressError, type PackPosition } from '../compress/compress-error.ts'
import { isWorthHeader } from '../compress/cost/prompt-savings.ts'
import { decode } from '../decode/decode.ts'
import { createExpander } from '../decode/create-expander.ts'
import { CodecError } from '../errors.ts'
import { frameContents, INSTRUCTION } from '../prompt/frame-packs.ts'
import { serializeRosetta, parseRosetta } from '../rosetta/parse-rosetta.ts'
import { findOwnScripts } from '../rosetta/term-scripts.ts'
import type { RosettaEntry } from '../types.ts'
import { checkInput, agreeOnTokenizer, readBodies } from './read-packs.ts'
import { resolveSettings } from './compose-prompt.ts'
import { findCheapest, type PromptSettings } from './plan-prompt.ts'
import { type PlannedAddition, planAdditions } from './plan-additions.ts'
import { type PriorTerms, readPriorTerms } from './prior-terms.ts'
import { digestValue, readState, writeState } from './prompt-state.ts'
import type { ComposeOptions, PriorPrompt, PromptDocument, PromptExtension } from './types.ts'
import { compressSet } from '../compress/encode-text.ts'

/**
 * Adds packs to a prompt without changing what was sent before, so that a provider's cache of the
 * prefix stays valid. Send `append` after the prompt; `text`, `rosetta` and `state` describe the
 * whole prompt, which can be extended again. A pack whose text is already in it is not added;
 * `already` names it.
 *
 * The added packs use the prompt's terms for the phrases that it has terms for. Of the ways to
 * write the addition, with new entries or without, the one with the fewest tokens is taken; new
 * entries only if they save what `worthHeader` demands. Terms of the prompt that occur literally in
 * a pack are escaped by entries of their own, which may cost more than the plain source. Exact, and
 * verified before it returns.
 *
 * @param prompt what `composePrompt` or `extendPrompt` returned
 * @param options `budget` is for the whole text.
 * @throws {CompressError} as `composePrompt`; `prompt_mismatch`; `term_collision` if no character
 *   is left for a term
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * const first = extendPrompt(prompt, [pack])
 * const second = extendPrompt(first, [another])
 */
export function extendPrompt(
  prompt: PriorPrompt,
  packs: readonly PromptDocument[],
  options: Omit<ComposeOptions, 'fit' | 'asBuilt'> = {},
): PromptExtension {
  checkInput(packs, options)
  const known = readState(prompt)
  const settings = resolveSettings(packs, {
    ...options,
    scheme: options.scheme ?? prompt.scheme,
    tokenizer: options.tokenizer ?? agreeOnTokenizer(packs, prompt.tokenizer),
  })
  const { tokenizer, scheme, worthHeader } = settings
  const { added, bodies, digests, already } = dropKnown(packs, readBodies(packs, false), known)
  const before = decode(prompt.text, prompt.rosetta)
  const sources = [before, ...bodies]
  const ownScripts = findOwnScripts(sources)
  const prior = readPriorTerms(prompt.rosetta, tokenizer, sources, ownScripts)
  const additions = planAdditions(prompt.text, added, bodies, prior, settings, ownScripts).flatMap(
    (planned) => {
      const written = writeAddition(prompt.text, added, planned, prior, sources)
      return written ? [{ ...written, tokens: tokenizer.countTokens(written.append) }] : []
    },
  )
  const plain = findCheapest(additions.filter(({ isPlain }) => isPlain))
  const cheapest = findCheapest(additions)
  if (!plain || !cheapest) {
    throw new Error('No addition decodes to its sources; please report the prompt and the packs')
  }
  const best = isWorthHeader(plain.tokens, cheapest.tokens, worthHeader) ? cheapest : plain
  const text = prompt.text + best.append
  if (options.budget !== undefined) {
    const tokens = tokenizer.countTokens(text)
    if (tokens > options.budget) throw overBudgetError(tokens, options.budget, added, best.contents, settings)
  }
  let recomposed: number | undefined
  return {
    text,
    append: best.append,
    rosetta: best.rosetta,
    terms: best.terms,
    state: writeState(text, best.rosetta, [...known, ...digests]),
    tokenizer: tokenizer.name,
    scheme,
    already,
    tokens: best.tokens,
    get recomposed() {
      return (recomposed ??= countRecomposed(prompt.text, prior.entries, added, bodies, settings))
    },
  }
}

interface NewPacks {
  readonly added: readonly PromptDocument[]
  readonly bodies: readonly string[]
  readonly digests: readonly string[]
  readonly already: readonly PackPosition[]
}

/** Drops the packs whose bodies the prompt has, or an earlier one of the packs. */
function dropKnown(
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  known: readonly string[],
): NewPacks {
  const seen = new Set(known)
  const digests = bodies.map(digestValue)
  const isNew = digests.map((digest) => !seen.has(digest) && Boolean(seen.add(digest)))
  return {
    added: packs.filter((_, index) => isNew[index]),
    bodies: bodies.filter((_, index) => isNew[index]),
    digests: digests.filter((_, index) => isNew[index]),
    already: packs.flatMap(({ slug }, index) => (isNew[index] ? [] : [{ index, slug }])),
  }
}

interface Addition extends PlannedAddition {
  readonly append: string
  readonly rosetta: string
  readonly terms: readonly RosettaEntry[]
}

/**
 * Writes an addition; undefined if it is not exact, or if the joined header exceeds the limits of
 * the format.
 *
 * @param sources what the text of the prompt and each content must decode to
 */
function writeAddition(
  text: string,
  packs: readonly PromptDocument[],
  planned: PlannedAddition,
  prior: PriorTerms,
  sources: readonly string[],
): Addition | undefined {
  const { contents, entries } = planned
  const terms = [...prior.entries, ...entries]
  try {
    const rosetta = serializeRosetta({ entries: terms })
    if (!isExact([text, ...contents], sources, prior, terms)) return undefined
    const header = entries.length > 0 ? `${serializeRosetta({ entries })}\n\n` : ''
    const instruction = header !== '' && prior.entries.length === 0 ? INSTRUCTION : ''
    const isOnLine = packs.length === 0 || text === '' || text.endsWith('\n')
    const head = (isOnLine ? '' : '\n') + instruction + header
    const others = [...sources, text + head].join('\n')
    return { ...planned, append: head + frameContents(packs, contents, others), rosetta, terms }
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/**
 * Whether the joined header decodes all texts, and keeps the expansions of the prompt's entries.
 */
function isExact(
  texts: readonly string[],
  sources: readonly string[],
  { meanings }: PriorTerms,
  entries: readonly RosettaEntry[],
): boolean {
  const { expansions, expand } = createExpander({ entries }, sources.join('\n').length + 1)
  // No term contains a line end, so one decoder can read all texts.
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
    `The extended prompt takes ${tokens.toLocaleString('en-US')} tokens; the budget is ${budget.toLocaleString('en-US')}`,
    'Raise the budget, add fewer packs, or compose all packs again.',
    {
      tokens,
      shares: packs.map(({ slug }, index) => ({ slug, tokens: tokenizer.countTokens(contents[index]!) })),
    },
  )
}

/**
 * Counts the tokens of a prompt of all packs, composed from scratch: those of a prompt, whose text
 * is decoded as a whole, and the added ones.
 *
 * @param entries the header of `text`
 */
function countRecomposed(
  text: string,
  entries: readonly RosettaEntry[],
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  { scheme, tokenizer, glossary, code = packs.some((pack) => pack.code), worthHeader }: PromptSettings,
): number {
  const before = decode(dropHeaders(text, entries), { entries })
  const sources = before + frameContents(packs, bodies, before)
  const plain = tokenizer.countTokens(sources)
  if (scheme === 'none' || !sources.isWellFormed()) return plain
  const texts = [before, ...bodies]
  const reserved = frameContents(
    packs,
    packs.map(() => ''),
    before,
  )
  const set = compressSet(texts, {
    scheme,
    tokenizer,
    glossary,
    code: texts.map(() => code),
    reserved,
  })
  if (!set || set.entries.length === 0) return plain
  const head = `${INSTRUCTION}${serializeRosetta(set)}\n\n${set.contents[0]!}`
  const paid = tokenizer.countTokens(
    head + frameContents(packs, set.contents.slice(1), [head, ...texts].join('\n')),
  )
  return isWorthHeader(plain, paid, worthHeader) ? paid : plain
}

/** Removes the lines that hold the entries of a prompt, in order, and its instruction. */
function dropHeaders(text: string, entries: readonly RosettaEntry[]): string {
  let found = 0
  return text.replace(/(?<![^\n])(Read .*\n)?(\[DECODE\] .*)\n\n/g, (lines, instruction, line: string) => {
    const own = readEntries(line)
    const expected = entries.slice(found, found + own.length)
    if (own.length === 0 || (instruction !== undefined && instruction !== INSTRUCTION)) return lines
    const isNext = own.every(({ term, expansion }, at) => {
      return expected[at]?.term === term && expected[at].expansion === expansion
    })
    if (!isNext) return lines
    found += own.length
    return ''
  })
}

function readEntries(line: string): readonly RosettaEntry[] {
  try {
    return parseRosetta(line).entries
  } catch {
    return []
  }
}
