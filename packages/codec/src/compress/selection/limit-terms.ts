import { isFree } from './choose-greedily.ts'
import type { EdgeCosts } from '../cost/edge-costs.ts'
import type { FoundPhrases } from '../candidates/phrase-set.ts'
import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { UseRule } from '../candidates/candidate-rules.ts'

/** How many terms there are, and what each is worth: tokens that an entry must save beyond its header, 0 where there are enough. */
export interface TermLimit {
  readonly count: number
  readonly price: number
}

/**
 * Prices the terms of a text that has use for more than there are: so that the last entry still pays when phrases are taken greedily,
 * always the one that still saves most (as in `choose-greedily`, but from the places themselves, in any order).
 */
export function limitTerms(found: FoundPhrases, edges: EdgeCosts, uses: UseRule, count: number): TermLimit {
  const gains = found.best.slice()
  const heap = Int32Array.from(gains.keys())
  const covered = new Uint8Array(edges.begins.length)
  const price = priceLast(heap, gains, createTaker(found, edges, uses, covered), count)
  freeArrays(gains, heap, covered)
  return { count, price }
}

/** What the last of `count` phrases gains, less one; 0 where there are not so many. */
function priceLast(heap: Int32Array, gains: Int32Array, take: PhraseTaker, count: number): number {
  let size = heap.length
  let last = 0
  heapify(heap, size, gains)
  for (let taken = 0; taken < count;) {
    const phrase = heap[0]!
    if (size === 0 || gains[phrase]! <= 0) return 0
    const gain = take(phrase, gains[phrase]!)
    if (gain === gains[phrase]) {
      last = gain
      taken++
      heap[0] = heap[--size]!
    } else gains[phrase] = gain
    siftDown(heap, size, gains, 0)
  }
  return Math.max(1, last - 1)
}

/** Counts the gain of a phrase where nothing is taken yet, and takes those places if it is `wanted`. */
type PhraseTaker = (phrase: number, wanted: number) => number

function createTaker(
  { from, to, places, length, cost }: FoundPhrases,
  { begins, ends }: EdgeCosts,
  uses: UseRule,
  covered: Uint8Array,
): PhraseTaker {
  const marked = new IntList()
  return (phrase, wanted) => {
    const size = length[phrase]!
    let gain = -cost[phrase]!
    marked.length = 0
    for (let place = from[phrase]!; place < to[phrase]!; place++) {
      const begin = places[place]!
      const end = begin + size
      const saved = ends[end]! - begins[begin]!
      if (saved <= 0 || !isFree(covered, begin, end) || !uses.allows(begin, end)) continue
      covered.fill(1, begin, end)
      marked.push(begin)
      gain += saved
    }
    if (gain < wanted) for (const begin of marked.values()) covered.fill(0, begin, begin + size)
    return gain
  }
}

/** Orders the first `size` phrases of `heap` so that the one of most gain is on top. */
export function heapify(heap: Int32Array, size: number, gains: ArrayLike<number>): void {
  for (let node = (size >> 1) - 1; node >= 0; node--) siftDown(heap, size, gains, node)
}

/** Moves the phrase at `node` down until none below it gains more. */
export function siftDown(heap: Int32Array, size: number, gains: ArrayLike<number>, node: number): void {
  const item = heap[node]!
  for (;;) {
    let child = 2 * node + 1
    if (child >= size) break
    if (child + 1 < size && gains[heap[child + 1]!]! > gains[heap[child]!]!) child++
    if (gains[heap[child]!]! <= gains[item]!) break
    heap[node] = heap[child]!
    node = child
  }
  heap[node] = item
}
