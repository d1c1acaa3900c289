import { framePacks, INSTRUCTION } from '../../prompt/frame-packs.ts'
import { MARKER } from '../../rosetta/grammar.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import { CompressError } from '../compress-error.ts'
import type { Compression, WorthHeader } from '../types.ts'

/** The parts of a compression that a prompt contains, and their token counts. */
export type PromptParts = Pick<Compression, 'content' | 'rosetta' | 'tokens'>

/**
 * Returns by how many tokens a prompt with this one pack, instruction included, misses what makes
 * its header worth while (SPEC.md §8.1); 0 or less if it is. Exact if it is near 0; else the
 * instruction counts by itself, although a text that begins with white space may join it with other
 * tokens.
 */
export function countMissingSavings(
  { content, rosetta, tokens }: PromptParts,
  tokenizer: Tokenizer,
  worth: WorthHeader,
): number {
  const needed = countNeededSavings(tokens.source, worth)
  const paid = tokens.content + tokens.rosetta + tokenizer.countTokens(INSTRUCTION)
  const estimate = needed - (tokens.source - paid)
  if (Math.abs(estimate) > CLEAR) return estimate
  return needed - (tokens.source - tokenizer.countTokens(framePacks([{}], [content], rosetta)))
}

/**
 * Beyond this number of tokens, how the parts join does not decide; counting the whole prompt again
 * takes time.
 */
const CLEAR = 64

/** Returns the tokens that a header must save of a source. */
export function countNeededSavings(source: number, { percent, tokens }: WorthHeader): number {
  return Math.max(1, tokens, Math.ceil((percent * source) / 100))
}

/**
 * Returns the tokens that the instruction and the marker of a header take, which every prompt with
 * a header pays.
 */
export function countFixedTokens(tokenizer: Tokenizer): number {
  return tokenizer.countTokens(`${INSTRUCTION}${MARKER} `)
}

export const DEFAULT_WORTH_HEADER: WorthHeader = { percent: 2, tokens: 40 }

/**
 * Whether a text with a header saves enough of its source.
 *
 * @param source tokens of the source
 * @param paid tokens of all that is sent instead, header and instruction included
 */
export function isWorthHeader(source: number, paid: number, worth: WorthHeader): boolean {
  return source - paid >= countNeededSavings(source, worth)
}

/** @throws {CompressError} `invalid_option` for a value that is no threshold */
export function checkWorthHeader(worth: Partial<WorthHeader> | null): void {
  const { percent, tokens } = worth ?? {}
  const isPercent = typeof percent === 'number' && percent >= 0 && percent <= 100
  if (isPercent && Number.isSafeInteger(tokens) && tokens! >= 0) return
  throw new CompressError(
    'invalid_option',
    `The option worthHeader cannot be ${String(JSON.stringify(worth)).slice(0, 80)}`,
    'Give percent, a number from 0 to 100, and tokens, a whole number from 0 on.',
  )
}
