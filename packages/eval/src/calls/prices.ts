import { InvalidArgumentError } from 'commander'
import type { BilledTokens } from '../types.ts'

/** Dollars per million tokens. */
export interface Prices {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/**
 * Parses the value of `--prices`, such as `0.25,0.025,2`.
 *
 * @throws InvalidArgumentError
 */
export function parsePrices(text: string): Prices {
  const [input, cached, output, ...others] = text.split(',').map(readAmount)
  if (input !== undefined && cached !== undefined && output !== undefined && others.length === 0)
    return { input, cached, output }
  throw new InvalidArgumentError(
    'Give dollars per million tokens for input, cached input and output: 0.25,0.025,2.',
  )
}

/**
 * Parses a number of dollars.
 *
 * @throws InvalidArgumentError
 */
export function readAmount(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text.trim()))
    throw new InvalidArgumentError('Give dollars as a number such as 2 or 0.25.')
  return Number(text)
}

/** Returns the dollars of tokens. Output includes reasoning; unknown tokens count as none. */
export function priceTokens(
  { input, cached, output }: Omit<BilledTokens, 'reasoning'>,
  prices: Prices,
): number {
  const fromCache = Math.min(cached ?? 0, input ?? 0)
  const fresh = (input ?? 0) - fromCache
  return (fresh * prices.input + fromCache * prices.cached + (output ?? 0) * prices.output) / 1_000_000
}
