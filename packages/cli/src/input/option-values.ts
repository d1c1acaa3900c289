import { InvalidArgumentError } from 'commander'

/** Reads a count from 1 up, of an option's value. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Give a whole number from 1 to 999,999,999.')
  return Number(text)
}

/** Reads a number of requests a day, or `none`. */
export function parseDailyQuota(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a whole number from 0 to 999,999,999, or none for that of the tier.')
}

/** Reads a percentage up to 100, of an option's value. */
export function parsePercent(text: string): number {
  const percent = /^-?\d{1,3}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (!(percent <= 100)) throw new InvalidArgumentError('Give a number of percent, 100 at most.')
  return percent
}
