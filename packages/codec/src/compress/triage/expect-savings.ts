import type { Scheme } from '../../types.ts'

/** Net savings to expect of a scheme, in percent of the source's tokens: of documents that the lines were not fitted to, four of five lie in the range. */
export interface ExpectedSavings {
  readonly scheme: Exclude<Scheme, 'none'>
  /** With `code: true`. */
  readonly code: boolean
  readonly low: number
  readonly high: number
}

/** A line through measured documents: `slope` times the share of repeated tokens, above what the size gives. */
interface Line {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly code: boolean
  readonly slope: number
  /** By size. */
  readonly offsets: readonly [number, number, number, number]
  /** Half the width of the range, as part of the savings and 2 points. */
  readonly spread: number
}

/** Tokens from which a document is of the next size. */
export const SIZES: readonly number[] = [1200, 4000, 15_000]

// As scripts/fit-savings.ts prints them (docs/triage.md).
const LINES: readonly Line[] = [
  { scheme: 'glossary-1', code: false, slope: 38.7, offsets: [-0.6, -0.5, 0.7, 1.2], spread: 0.38 },
  { scheme: 'glossary-1', code: true, slope: 37.0, offsets: [-0.6, -0.2, 0.6, 1.3], spread: 0.41 },
  { scheme: 'dense-1', code: false, slope: 51.0, offsets: [1.8, 1.9, 4.9, 7.8], spread: 0.3 },
  { scheme: 'max-1', code: false, slope: 57.3, offsets: [3.7, 4.5, 8.6, 10.4], spread: 0.34 },
]

/** Ranges for a document of `tokens` tokens, with the shares of them that are repeated, all and outside code. */
export function expectSavings(
  tokens: number,
  repetition: number,
  proseRepetition: number,
): ExpectedSavings[] {
  const size = SIZES.findLastIndex((least) => tokens >= least) + 1
  return LINES.map(({ scheme, code, slope, offsets, spread }) => {
    const share = scheme === 'glossary-1' && !code ? proseRepetition : repetition
    const center = tokens === 0 ? 0 : Math.max(0, offsets[size]! + slope * share)
    const width = spread * (center + MARGIN)
    return {
      scheme,
      code,
      low: round(Math.max(0, center - width)),
      high: round(tokens === 0 ? 0 : center + width),
    }
  })
}

/** Points added to the savings before the spread is taken, so that small savings have a range too. */
export const MARGIN = 2

function round(percent: number): number {
  return Math.round(10 * percent) / 10
}
