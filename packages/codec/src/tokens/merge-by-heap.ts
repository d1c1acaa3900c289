import { createRankHeap } from './rank-heap.ts'
import { createTokenRun, type TokenRun } from './token-run.ts'
import { NO_RANK, type Vocabulary } from './vocabulary.ts'

/**
 * Byte-pair merge of n bytes in n log n: a linked list of parts and a heap of pairs by rank, then place. A pair in the heap
 * whose parts have changed since is known by its rank, which is not the place's any more.
 */
export function mergeByHeap(bytes: Uint8Array, from: number, to: number, vocabulary: Vocabulary): TokenRun {
  const length = to - from
  const ids = new Int32Array(length)
  const next = new Int32Array(length)
  const previous = new Int32Array(length)
  const ranks = new Int32Array(length).fill(NO_RANK)
  const heap = createRankHeap(length)
  for (let at = 0; at < length; at++) {
    const byte = bytes[from + at]!
    ids[at] = vocabulary.byteRanks[byte]!
    next[at] = at + 1
    previous[at] = at - 1
    if (at + 1 < length) setRank(at, vocabulary.pairRanks[(byte << 8) | bytes[from + at + 1]!]!)
  }
  while (heap.size > 0) {
    const { rank, at } = heap.pop()
    if (ranks[at] !== rank) continue
    ids[at] = rank
    const gone = next[at]!
    const after = next[gone]!
    next[at] = after
    ranks[gone] = NO_RANK
    if (after < length) previous[after] = at
    setRank(at, after < length ? rankOf(at, next[after]!) : NO_RANK)
    const before = previous[at]!
    if (before >= 0) setRank(before, rankOf(before, after))
  }
  return collect()

  function rankOf(start: number, end: number): number {
    return vocabulary.rankOfMerge(bytes, from + start, from + end)
  }

  function setRank(at: number, rank: number): void {
    ranks[at] = rank
    if (rank !== NO_RANK) heap.push(rank, at)
  }

  function collect(): TokenRun {
    const run = createTokenRun(length)
    for (let at = 0; at < length; at = next[at]!) {
      run.ids[run.count] = ids[at]!
      run.ends[run.count++] = from + next[at]!
    }
    return run
  }
}
