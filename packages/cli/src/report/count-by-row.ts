import type { Pieces } from '@packs/codec/tokens'
import type { Span } from './align-rows.ts'

/** Counts the tokens of each part of a text; a piece belongs to the part that it begins in. */
export function countByRow({ ends, counts }: Pieces, spans: readonly Span[]): number[] {
  let piece = 0
  let start = 0
  return spans.map(({ to }) => {
    let tokens = 0
    while (piece < ends.length && start < to) {
      tokens += counts[piece]!
      start = ends[piece++]!
    }
    return tokens
  })
}
