/** A binary heap of (rank, place), lowest rank first, then lowest place; a place is below 2^26. */
export interface RankHeap {
  readonly size: number
  push(rank: number, at: number): void
  /** Removes the lowest; the object returned is reused. */
  pop(): { readonly rank: number; readonly at: number }
}

const PLACES = 2 ** 26

/** Creates a {@link RankHeap} with room for `capacity` pairs at first. */
export function createRankHeap(capacity: number): RankHeap {
  let keys = new Float64Array(Math.max(capacity, 1))
  let size = 0
  const lowest = { rank: 0, at: 0 }
  return {
    get size() {
      return size
    },
    push(rank, at) {
      if (size === keys.length) keys = grow(keys)
      siftUp(keys, size++, rank * PLACES + at)
    },
    pop() {
      const key = keys[0]!
      lowest.rank = Math.floor(key / PLACES)
      lowest.at = key % PLACES
      size--
      siftDown(keys, size, keys[size]!)
      return lowest
    },
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
