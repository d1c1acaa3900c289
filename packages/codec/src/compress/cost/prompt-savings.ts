import { writeHead, INSTRUCTION } from '../../frame-packs.ts'
import { MARKER } from '../../rosetta/grammar.ts'
import type { Tokenizer } from '../../tokens/get-tokenizer.ts'
import { CompressError } from '../compress-error.ts'
import type { Compression, WorthHeader } from '../types.ts'

export type PromptParts = Pick<Compression, 'content' | 'rosetta' | 'tokens'>

/**
 * Returns how many more tokens a prompt with only this pack, instruction included, would have to
 * save to justify its header (SPEC.md §8.1); 0 or less if it does. Exact near 0. Otherwise the
 * instruction is counted on its own, although its tokens may merge with white space of the text.
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
  return needed - (tokens.source - tokenizer.countTokens(writeHead(rosetta) + content))
}

/** Tokens beyond which it cannot matter how the parts join. */
const CLEAR = 64

export function countNeededSavings(source: number, { percent, tokens }: WorthHeader): number {
  return Math.max(1, tokens, Math.ceil((percent * source) / 100))
}

/** Tokens of the instruction and the marker, which every header pays for. */
export function countFixedTokens(tokenizer: Tokenizer): number {
  return tokenizer.countTokens(`${INSTRUCTION}${MARKER} `)
}

export const DEFAULT_WORTH_HEADER: WorthHeader = { percent: 2, tokens: 40 }

/** Whether what is `paid` for text, header and instruction saves enough tokens of the `source`. */
export function isWorthHeader(source: number, paid: number, worth: WorthHeader): boolean {
  return source - paid >= countNeededSavings(source, worth)
}

/** @throws {CompressError} `invalid_option` for an invalid threshold */
export function checkWorthHeader(worth: Partial<WorthHeader> | null): void {
  const { percent, tokens } = worth ?? {}
  const isPercent = typeof percent === 'number' && percent >= 0 && percent <= 100
  if (isPercent && Number.isSafeInteger(tokens) && tokens! >= 0) return
  throw new CompressError(
    'invalid_option',
    `Invalid worthHeader: ${String(JSON.stringify(worth)).slice(0, 80)}`,
    'Give percent, a number from 0 to 100, and tokens, a whole number of at least 0.',
  )
}
