import type { WorthHeader } from '@packs/codec/compress'
import { InvalidArgumentError } from 'commander'

/** Parses an option value as a whole number from 1. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Give a whole number from 1 to 999,999,999.')
  return Number(text)
}

/** Parses an option value as a percentage of at most 100. @throws InvalidArgumentError */
export function parsePercent(text: string): number {
  const percent = /^-?\d{1,3}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (!(percent <= 100)) throw new InvalidArgumentError('Give a percentage of at most 100.')
  return percent
}

/** Parses an option value as what a header must save: a percentage and a number of tokens. @throws InvalidArgumentError */
export function parseWorthHeader(text: string): WorthHeader {
  const [, percent, tokens] = /^(\d{1,3}(?:\.\d{1,4})?),(\d{1,9})$/.exec(text) ?? []
  if (percent === undefined || Number(percent) > 100)
    throw new InvalidArgumentError('Give a percentage from 0 to 100 and a number of tokens, such as 2,40.')
  return { percent: Number(percent), tokens: Number(tokens) }
}

/** Parses an option value as a percentage from 0 to 1000. @throws InvalidArgumentError */
export function parseTolerance(text: string): number {
  const percent = /^\d{1,4}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (!(percent <= 1000)) throw new InvalidArgumentError('Give a percentage from 0 to 1000.')
  return percent
}
