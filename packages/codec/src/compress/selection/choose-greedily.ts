import type { CandidateSet } from '../candidates/candidate-set.ts'

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
