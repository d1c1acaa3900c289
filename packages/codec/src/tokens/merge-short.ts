import { createTokenRun, type TokenRun } from './token-run.ts'
import { NO_RANK, type Vocabulary } from './vocabulary.ts'

/** Most bytes for which the quadratic merge is the faster one. */
export const SHORT_PIECE = 96

const ranks = new Int32Array(SHORT_PIECE)
const run = createTokenRun(SHORT_PIECE)

/** Byte-pair merge that looks for the lowest rank from the left each time; for at most {@link SHORT_PIECE} bytes. */
export function mergeShort(bytes: Uint8Array, from: number, to: number, vocabulary: Vocabulary): TokenRun {
  const { ids, ends } = run
  const { byteRanks, pairRanks } = vocabulary
  let count = to - from
  for (let part = 0; part < count; part++) {
    const byte = bytes[from + part]!
    ids[part] = byteRanks[byte]!
    ends[part] = from + part + 1
    ranks[part] = part + 1 < count ? pairRanks[(byte << 8) | bytes[from + part + 1]!]! : NO_RANK
  }
  for (;;) {
    const lowest = findLowest(count)
    if (ranks[lowest] === NO_RANK) break
    ids[lowest] = ranks[lowest]!
    count--
    removePart(lowest, count)
    const start = lowest === 0 ? from : ends[lowest - 1]!
    ranks[lowest] = lowest + 1 < count ? vocabulary.rankOfMerge(bytes, start, ends[lowest + 1]!) : NO_RANK
    if (lowest > 0) {
      const before = lowest === 1 ? from : ends[lowest - 2]!
      ranks[lowest - 1] = vocabulary.rankOfMerge(bytes, before, ends[lowest]!)
    }
  }
  run.count = count
  return run
}

function findLowest(count: number): number {
  let lowest = 0
  let rank = ranks[0]!
  for (let part = 1; part < count; part++) {
    if (ranks[part]! < rank) {
      rank = ranks[part]!
      lowest = part
    }
  }
  return lowest
}

// Part `kept` takes in the one behind it.
function removePart(kept: number, count: number): void {
  const { ids, ends } = run
  ends[kept] = ends[kept + 1]!
  for (let part = kept + 1; part < count; part++) {
    ids[part] = ids[part + 1]!
    ends[part] = ends[part + 1]!
    ranks[part] = ranks[part + 1]!
  }
}
