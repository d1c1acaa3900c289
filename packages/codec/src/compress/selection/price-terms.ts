import { isFree } from './choose-greedily.ts'
import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import { keepCandidates, type FoundCandidates } from '../candidates/candidate-set.ts'
import { IntList } from '../text/int-list.ts'
import type { OccurrenceRule } from '../candidates/candidate-rules.ts'

/**
 * The number of terms and the price of each: the tokens that an entry must save beyond its header.
 * The price is 0 if there are enough terms; if not, it is the Lagrangian multiplier of the limit.
 */
export interface TermLimit {
  readonly count: number
  readonly price: number
}

/**
 * Sets the price of a term for a text that could use more terms than there are, so that the last
 * entry to get a term still pays. Entries are chosen greedily, always the one that saves most (as
 * in `choose-greedily`, but on positions directly, in any order), leaving room for those that
 * subgradient steps add.
 */
export function priceTerms(
  found: FoundCandidates,
  boundaries: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
  count: number,
): TermLimit {
  if (count < FEW_TERMS) return { count, price: 0 }
  const gains = found.maxNet.slice()
  const heap = listBestOfRepeats(found)
  const covered = new Uint8Array(boundaries.begins.length)
  const price = findLastGain(
    heap,
    gains,
    createGreedyStep(found, boundaries, occurrenceRule, covered),
    Math.ceil(count * GREEDY_SHARE),
  )
  return { count, price }
}

/** With fewer terms, the last entry may be the first: its gain says nothing. */
const FEW_TERMS = 16
/** A greedy selection has about this share of the entries of the final one at the same price. */
const GREEDY_SHARE = 0.8

/** Of candidates with the same positions, only the first that could save most. */
function listBestOfRepeats({ from, to, maxNet }: FoundCandidates): Int32Array {
  const best = new IntList()
  for (let candidate = 0, last = -1; candidate < from.length; candidate++) {
    const isSame = last >= 0 && from[candidate] === from[last] && to[candidate] === to[last]
    if (isSame && maxNet[candidate]! <= maxNet[last]!) continue
    if (isSame) best.pop()
    best.push(candidate)
    last = candidate
  }
  return best.take()
}

/** Gain of the last of `count` candidates, minus one; 0 if there are fewer. */
function findLastGain(heap: Int32Array, gains: Int32Array, take: GreedyStep, count: number): number {
  let size = heap.length
  let last = 0
  for (let node = (size >> 1) - 1; node >= 0; node--) siftDown(heap, size, gains, node)
  for (let taken = 0; taken < count;) {
    const candidate = heap[0]!
    if (size === 0 || gains[candidate]! <= 0) return 0
    const gain = take(candidate, gains[candidate]!)
    if (gain === gains[candidate]) {
      last = gain
      taken++
      heap[0] = heap[--size]!
    } else gains[candidate] = gain
    siftDown(heap, size, gains, 0)
  }
  return Math.max(1, last - 1)
}

/** Drops candidates that save no more than the price at all their positions. */
export function dropCheapCandidates(found: FoundCandidates, price: number): FoundCandidates {
  if (price === 0) return found
  const isKept = new Uint8Array(found.maxNet.length)
  for (let candidate = 0; candidate < isKept.length; candidate++)
    if (found.maxNet[candidate]! > price) isKept[candidate] = 1
  return keepCandidates(found, isKept)
}

/** Gain of a candidate in the uncovered text, which it covers for at least `wanted`. */
type GreedyStep = (candidate: number, wanted: number) => number

function createGreedyStep(
  { from, to, positions, length, cost }: FoundCandidates,
  { begins, ends }: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
  covered: Uint8Array,
): GreedyStep {
  const marked = new IntList()
  return (candidate, wanted) => {
    const size = length[candidate]!
    let gain = -cost[candidate]!
    marked.length = 0
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const begin = positions[at]!
      const end = begin + size
      const saved = ends[end]! - begins[begin]!
      if (saved <= 0 || !isFree(covered, begin, end) || !occurrenceRule(begin, end)) continue
      covered.fill(1, begin, end)
      marked.push(begin)
      gain += saved
    }
    if (gain < wanted) for (const begin of marked.values()) covered.fill(0, begin, begin + size)
    return gain
  }
}

function siftDown(heap: Int32Array, size: number, gains: ArrayLike<number>, node: number): void {
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
