import type { Pieces, Tokenizer } from '../../tokens/types.ts'
import type { Units } from '../text/lex-units.ts'
import { PieceCounter } from './piece-counter.ts'

/**
 * The cost in tokens of cutting the text at each unit boundary and putting a one-token term there.
 * Replacing units `i` up to `j` saves `ends[j] - begins[i]` tokens, plus `adjacencyGain[i]` right
 * after another term.
 */
export interface BoundaryCosts {
  readonly total: number
  readonly begins: Int32Array
  readonly ends: Int32Array
  readonly adjacencyGain: Int8Array
}

/**
 * Measures each boundary by counting the pre-tokens on both sides with `probe` between them.
 * @param probe A one-token sample, because terms are not chosen yet.
 */
export function measureBoundaries(
  units: Units,
  pieces: Pieces,
  tokenizer: Tokenizer,
  probe: string,
): BoundaryCosts {
  const { text, starts, count } = units
  const counter = new PieceCounter(text, pieces, tokenizer, probe, probe)
  const begins = new Int32Array(count + 1)
  const ends = new Int32Array(count + 1)
  const adjacencyGain = new Int8Array(count + 1)
  for (let unit = 0; unit <= count; unit++) {
    counter.seek(starts[unit]!)
    const before = counter.countBefore() - 1
    const after = counter.countAfter() - 1
    begins[unit] = before
    ends[unit] = counter.total - 1 - after
    adjacencyGain[unit] = Math.max(-100, Math.min(100, before + after - counter.total))
  }
  return { total: counter.total, begins, ends, adjacencyGain }
}
