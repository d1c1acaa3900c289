import type { Pieces } from '../../tokens/types.ts'
import { lexUnits } from '../lex-units.ts'
import { buildLcpArray, buildSuffixArray } from '../suffix-array.ts'
import { measureOffsets } from './measure-offsets.ts'

/** Shortest phrase that counts as repeated, in tokens. */
const PHRASE_TOKENS = 6

/**
 * Tokens of `text` that lie in phrases of six tokens or more that stand in it twice or more, inside lines.
 *
 * @param blocked Ranges `[start, end)` of UTF-16 offsets, flat, rising, that are no part of phrases.
 */
export function measureRepetition(text: string, pieces: Pieces, blocked: Int32Array): number {
  const { ids, alphabet, starts, count } = lexUnits(text, blocked, false)
  const tokens = measureOffsets(pieces, starts)
  const places = buildSuffixArray(ids, alphabet)
  const lcp = buildLcpArray(ids, places)
  const repeats = new Int32Array(count)
  for (let rank = 0; rank < count; rank++)
    repeats[places[rank]!] = Math.max(lcp[rank]!, rank + 1 < count ? lcp[rank + 1]! : 0)
  let repeated = 0
  let reach = 0
  for (let unit = 0; unit < count; unit++) {
    const end = unit + repeats[unit]!
    if (tokens[end]! - tokens[unit]! >= PHRASE_TOKENS - ROUNDING) reach = Math.max(reach, end)
    if (unit < reach) repeated += tokens[unit + 1]! - tokens[unit]!
  }
  return repeated
}

const ROUNDING = 1e-9
