import { framePacks, INSTRUCTION } from '../../prompt/frame-packs.ts'
import { MARKER } from '../../rosetta/grammar.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import { CompressError } from '../compress-error.ts'
import type { Compression } from '../types.ts'

/** The parts of a compression that a prompt contains, and their token counts. */
export type PromptParts = Pick<Compression, 'content' | 'rosetta' | 'tokens'>

/**
 * Returns by how many tokens a prompt with this one pack, instruction included, is smaller than its source
 * (SPEC.md §8.1). Exact if it is near 0; else the instruction counts by itself, although a text that begins with
 * white space may join it with other tokens.
 */
export function countPromptSavings({ content, rosetta, tokens }: PromptParts, tokenizer: Tokenizer): number {
  const estimate = tokens.source - tokens.content - tokens.rosetta - tokenizer.countTokens(INSTRUCTION)
  if (Math.abs(estimate) > CLEAR) return estimate
  return tokens.source - tokenizer.countTokens(framePacks([{}], [content], rosetta))
}

/** Beyond this number of tokens, how the parts join does not decide; counting the whole prompt again takes time. */
const CLEAR = 64

/** Returns the tokens that the instruction and the marker of a header take, which every prompt with a header pays. */
export function countFixedTokens(tokenizer: Tokenizer): number {
  return tokenizer.countTokens(`${INSTRUCTION}${MARKER} `)
}

/** What a header must save at least, of what the source costs; both must be met. */
export interface WorthHeader {
  /** 0 to 100. */
  readonly percent: number
  readonly tokens: number
}

export const DEFAULT_WORTH_HEADER: WorthHeader = { percent: 2, tokens: 40 }

/**
 * Whether a text with a header saves enough of its source.
 *
 * @param source tokens of the source
 * @param paid tokens of all that is sent instead, header and instruction included
 */
export function isWorthHeader(source: number, paid: number, worth: WorthHeader): boolean {
  const saved = source - paid
  return saved >= worth.tokens && 100 * saved >= worth.percent * source
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
