import { NO_RANK, type Vocabulary } from './vocabulary/stored-vocabulary.ts'

/** Token ids: the first `count` elements of `ids`. */
export interface Tokens {
  readonly ids: Int32Array
  count: number
}

/** The tokens of a run of bytes: token `i` ends before byte `ends[i]`. */
export interface TokenRun extends Tokens {
  readonly ends: Int32Array
}

function createTokenRun(capacity: number): TokenRun {
  return { ids: new Int32Array(capacity), ends: new Int32Array(capacity), count: 0 }
}

/** The most bytes for which the quadratic merge is faster. */
export const SHORT_PIECE = 96

const ranks = new Int32Array(SHORT_PIECE)
const run = createTokenRun(SHORT_PIECE)

/** Finds the lowest rank from the left in each step; at most {@link SHORT_PIECE} bytes. */
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

// Part `kept` absorbs the next part.
function removePart(kept: number, count: number): void {
  const { ids, ends } = run
  ends[kept] = ends[kept + 1]!
  for (let part = kept + 1; part < count; part++) {
    ids[part] = ids[part + 1]!
    ends[part] = ends[part + 1]!
    ranks[part] = ranks[part + 1]!
  }
}

/** O(n log n). A pair in the heap is outdated if its offset has another rank by then. */
export function mergeByHeap(bytes: Uint8Array, from: number, to: number, vocabulary: Vocabulary): TokenRun {
  const length = to - from
  const ids = new Int32Array(length)
  const next = new Int32Array(length)
  const previous = new Int32Array(length)
  const ranks = new Int32Array(length).fill(NO_RANK)
  const heap = new RankHeap(length)
  for (let at = 0; at < length; at++) {
    const byte = bytes[from + at]!
    ids[at] = vocabulary.byteRanks[byte]!
    next[at] = at + 1
    previous[at] = at - 1
    if (at + 1 < length) setRank(at, vocabulary.pairRanks[(byte << 8) | bytes[from + at + 1]!]!)
  }
  while (heap.size > 0) {
    heap.pop()
    const { rank, at } = heap
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

const OFFSETS = 2 ** 26

/** Lowest rank first, then lowest offset. Offsets must be below 2^26. */
class RankHeap {
  size = 0
  /** The pair that {@link pop} removed. */
  rank = 0
  at = 0
  #keys: Float64Array

  constructor(capacity: number) {
    this.#keys = new Float64Array(Math.max(capacity, 1))
  }

  push(rank: number, at: number): void {
    if (this.size === this.#keys.length) this.#keys = grow(this.#keys)
    siftUp(this.#keys, this.size++, rank * OFFSETS + at)
  }

  pop(): void {
    const key = this.#keys[0]!
    this.rank = Math.floor(key / OFFSETS)
    this.at = key % OFFSETS
    this.size--
    siftDown(this.#keys, this.size, this.#keys[this.size]!)
  }
}

function siftUp(keys: Float64Array, from: number, key: number): void {
  let hole = from
  while (hole > 0) {
    const parent = (hole - 1) >> 1
    if (keys[parent]! <= key) break
    keys[hole] = keys[parent]!
    hole = parent
  }
  keys[hole] = key
}

function siftDown(keys: Float64Array, size: number, key: number): void {
  let hole = 0
  for (let child = 1; child < size; child = hole * 2 + 1) {
    if (child + 1 < size && keys[child + 1]! < keys[child]!) child++
    if (keys[child]! >= key) break
    keys[hole] = keys[child]!
    hole = child
  }
  keys[hole] = key
}

function grow(keys: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(keys.length * 2)
  grown.set(keys)
  return grown
}
