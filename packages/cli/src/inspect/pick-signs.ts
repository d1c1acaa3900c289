import { CliError } from '../cli-error.ts'

const PRIVATE_USE_FROM = 0xe000
const PRIVATE_USE_TO = 0xf8ff

/**
 * Picks private-use characters that a text does not hold. They are no letters, so a term beside one matches.
 *
 * @throws CliError `invalid_pack` where the text holds nearly all 6,400 of them
 */
export function pickSigns(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = PRIVATE_USE_FROM; unit <= PRIVATE_USE_TO; unit++) {
    const sign = String.fromCharCode(unit)
    if (!taken.has(sign)) free.push(sign)
    if (free.length === count) return free
  }
  throw new CliError(
    'invalid_pack',
    'the pack uses nearly every private-use character, so its entries cannot be told apart',
    'use `pack check` and `pack decode` for it',
  )
}
