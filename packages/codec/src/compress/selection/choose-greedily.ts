import { type CandidateSet, keepCandidates, type FoundCandidates } from '../candidates/candidate-set.ts'
import type { BoundaryCosts } from '../cost/piece-counter.ts'
import { IntList } from '../text/int-list.ts'
import type { OccurrenceRule } from '../candidates/candidate-rules.ts'

/**
 * Greedy algorithm for facility location: repeatedly takes the candidate that saves the most net
 * tokens in the uncovered text. Method: G. Cornuéjols, M. Fisher, G. Nemhauser, "Location of Bank
 * Accounts to Optimize Float" (1977). Gains only fall, so the gain at the head of the queue is
 * recomputed before use (lazy greedy: M. Minoux, "Accelerated greedy algorithms for maximizing
 * submodular set functions", 1978).
 */
export function chooseGreedily(set: CandidateSet): number[] {
  const covered = new Uint8Array(set.units)
  const gains = boundGains(set)
  const queue = new GainQueue(gains)
  const chosen: number[] = []
  for (let candidate = queue.take(); candidate >= 0; candidate = queue.take()) {
    const gain = takeCandidate(set, candidate, covered, false)
    if (queue.putBack(candidate, gain)) continue
    if (gain <= 0) continue
    takeCandidate(set, candidate, covered, true)
    chosen.push(candidate)
  }
  return chosen
}

function boundGains({
  cost,
  occurrenceCount,
  occurrenceCandidate,
  occurrenceSaved,
}: CandidateSet): Float64Array {
  const gains = cost.map((tokens) => -tokens)
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++)
    gains[occurrenceCandidate[occurrence]!]! += occurrenceSaved[occurrence]!
  return gains
}

/** Net tokens that a candidate saves in the uncovered text; covers its occurrences with `take`. */
function takeCandidate(set: CandidateSet, candidate: number, covered: Uint8Array, take: boolean): number {
  const { firstByCandidate, occurrencesByCandidate, occurrenceStart, occurrenceEnd, occurrenceSaved } = set
  let gain = -set.cost[candidate]!
  let free = 0
  for (let at = firstByCandidate[candidate]!; at < firstByCandidate[candidate + 1]!; at++) {
    const occurrence = occurrencesByCandidate[at]!
    const begin = occurrenceStart[occurrence]!
    const end = occurrenceEnd[occurrence]!
    if (begin < free || !isFree(covered, begin, end)) continue
    gain += occurrenceSaved[occurrence]!
    free = end
    if (take) covered.fill(1, begin, free)
  }
  return gain
}

export function isFree(covered: Uint8Array, begin: number, end: number): boolean {
  if (covered[begin] !== 0 || covered[end - 1] !== 0) return false
  for (let unit = begin + 1; unit < end - 1; unit++) if (covered[unit] !== 0) return false
  return true
}

/** A bucket queue of candidates by gain, best first. Gains are rounded down to whole tokens. */
class GainQueue {
  /** The first candidate with each gain, and the next one after each candidate; -1 at the end. */
  private readonly heads: Int32Array
  private readonly next: Int32Array
  private gain: number

  constructor(gains: Float64Array) {
    this.gain = Math.min(MAX_GAIN, Math.floor(gains.reduce((most, gain) => Math.max(most, gain), 0)))
    this.heads = new Int32Array(this.gain + 1).fill(-1)
    this.next = new Int32Array(gains.length)
    for (let candidate = 0; candidate < gains.length; candidate++)
      if (gains[candidate]! > 0) this.put(candidate, Math.min(this.gain, Math.floor(gains[candidate]!)))
  }

  take(): number {
    const { heads, next } = this
    while (this.gain > 0 && heads[this.gain] === -1) this.gain--
    const candidate = heads[this.gain]!
    if (candidate >= 0) heads[this.gain] = next[candidate]!
    return candidate
  }

  /** Puts the candidate back if its gain is positive but lower than before. */
  putBack(candidate: number, gain: number): boolean {
    if (gain <= 0 || gain >= this.gain) return false
    this.put(candidate, Math.floor(gain))
    return true
  }

  private put(candidate: number, gain: number): void {
    this.next[candidate] = this.heads[gain]!
    this.heads[gain] = candidate
  }
}

/** Higher gains count as this. */
const MAX_GAIN = 1 << 20

/** The price is 0 if there are enough terms; if not, the Lagrangian multiplier of the limit. */
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
