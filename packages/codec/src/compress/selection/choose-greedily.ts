import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'

/**
 * Takes candidate after candidate, always the one that still saves most net tokens where nothing is replaced yet.
 *
 * Gains only fall, so a stale gain at the head of the queue is counted again before it is believed (lazy greedy: M. Minoux,
 * "Accelerated greedy algorithms for maximizing submodular set functions", 1978).
 */
export function chooseGreedily(set: CandidateSet): number[] {
  const covered = new Uint8Array(set.units)
  const gains = boundGains(set)
  const queue = new GainQueue(gains)
  freeArrays(gains)
  const chosen: number[] = []
  for (let candidate = queue.take(); candidate >= 0; candidate = queue.take()) {
    const gain = takeCandidate(set, candidate, covered, false)
    if (queue.putBack(candidate, gain)) continue
    if (gain <= 0) continue
    takeCandidate(set, candidate, covered, true)
    chosen.push(candidate)
  }
  freeArrays(covered)
  queue.free()
  return chosen
}

/** Net tokens that each candidate would save if all its occurrences could be used. */
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

/** Net tokens that `candidate` saves where nothing is covered, from left to right; covers those places when asked to. */
function takeCandidate(set: CandidateSet, candidate: number, covered: Uint8Array, take: boolean): number {
  const { firstByCandidate, occurrencesByCandidate, occurrenceStart, occurrenceSaved } = set
  const length = set.length[candidate]!
  let gain = -set.cost[candidate]!
  let free = 0
  for (let at = firstByCandidate[candidate]!; at < firstByCandidate[candidate + 1]!; at++) {
    const occurrence = occurrencesByCandidate[at]!
    const begin = occurrenceStart[occurrence]!
    if (begin < free || !isFree(covered, begin, begin + length)) continue
    gain += occurrenceSaved[occurrence]!
    free = begin + length
    if (take) covered.fill(1, begin, free)
  }
  return gain
}

/** Are units `begin` up to `end` not covered. */
export function isFree(covered: Uint8Array, begin: number, end: number): boolean {
  if (covered[begin] !== 0 || covered[end - 1] !== 0) return false
  for (let unit = begin + 1; unit < end - 1; unit++) if (covered[unit] !== 0) return false
  return true
}

/** Candidates by their gains, the best first; whole tokens are told apart, not parts of them. */
class GainQueue {
  /** The first candidate of each gain, and the candidate behind each; -1 at the end. */
  private readonly heads: Int32Array
  private readonly behind: Int32Array
  private gain: number

  /** Candidates that gain nothing are left out. */
  constructor(gains: Float64Array) {
    this.gain = Math.min(MAX_GAIN, Math.floor(gains.reduce((most, gain) => Math.max(most, gain), 0)))
    this.heads = new Int32Array(this.gain + 1).fill(-1)
    this.behind = new Int32Array(gains.length)
    for (let candidate = 0; candidate < gains.length; candidate++)
      if (gains[candidate]! > 0) this.put(candidate, Math.min(this.gain, Math.floor(gains[candidate]!)))
  }

  /** Takes out the candidate of most gain; -1 where none is left. */
  take(): number {
    const { heads, behind } = this
    while (this.gain > 0 && heads[this.gain] === -1) this.gain--
    const candidate = heads[this.gain]!
    if (candidate >= 0) heads[this.gain] = behind[candidate]!
    return candidate
  }

  /** Puts the candidate taken last back if its gain turned out to be less than it was taken for, but not nothing. */
  putBack(candidate: number, gain: number): boolean {
    if (gain <= 0 || gain >= this.gain) return false
    this.put(candidate, Math.floor(gain))
    return true
  }

  /** Gives its memory back; nothing can be taken any more. */
  free(): void {
    freeArrays(this.heads, this.behind)
  }

  private put(candidate: number, gain: number): void {
    this.behind[candidate] = this.heads[gain]!
    this.heads[gain] = candidate
  }
}

/** Gains above are not told apart. */
const MAX_GAIN = 1 << 20
