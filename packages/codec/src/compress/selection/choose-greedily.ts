import { freeArrays } from '../text/typed-arrays.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'

/**
 * Takes phrase after phrase, always the one that still saves most net tokens where nothing is replaced yet.
 *
 * Gains only fall, so a stale gain at the head of the queue is counted again before it is believed (lazy greedy: M. Minoux,
 * "Accelerated greedy algorithms for maximizing submodular set functions", 1978).
 */
export function chooseGreedily(set: PhraseSet): number[] {
  const covered = new Uint8Array(set.units)
  const gains = boundGains(set)
  const queue = new GainQueue(gains)
  freeArrays(gains)
  const chosen: number[] = []
  for (let phrase = queue.take(); phrase >= 0; phrase = queue.take()) {
    const gain = takePhrase(set, phrase, covered, false)
    if (queue.putBack(phrase, gain)) continue
    if (gain <= 0) continue
    takePhrase(set, phrase, covered, true)
    chosen.push(phrase)
  }
  freeArrays(covered)
  queue.free()
  return chosen
}

/** Net tokens that each phrase would save if all its slots could be used. */
function boundGains({ cost, slotCount, slotPhrase, slotSaved }: PhraseSet): Float64Array {
  const gains = cost.map((tokens) => -tokens)
  for (let slot = 0; slot < slotCount; slot++) gains[slotPhrase[slot]!]! += slotSaved[slot]!
  return gains
}

/** Net tokens that `phrase` saves where nothing is covered, from left to right; covers those places when asked to. */
function takePhrase(set: PhraseSet, phrase: number, covered: Uint8Array, take: boolean): number {
  const { firstByPhrase, slotsByPhrase, slotStart, slotSaved } = set
  const length = set.length[phrase]!
  let gain = -set.cost[phrase]!
  let free = 0
  for (let at = firstByPhrase[phrase]!; at < firstByPhrase[phrase + 1]!; at++) {
    const slot = slotsByPhrase[at]!
    const begin = slotStart[slot]!
    if (begin < free || !isFree(covered, begin, begin + length)) continue
    gain += slotSaved[slot]!
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

/** Phrases by their gains, the best first; whole tokens are told apart, not parts of them. */
export class GainQueue {
  /** The first phrase of each gain, and the phrase behind each; -1 at the end. */
  private readonly heads: Int32Array
  private readonly behind: Int32Array
  private gain: number

  /** Phrases that gain nothing are left out. */
  constructor(gains: Float64Array) {
    this.gain = Math.min(MOST, Math.floor(gains.reduce((most, gain) => Math.max(most, gain), 0)))
    this.heads = new Int32Array(this.gain + 1).fill(-1)
    this.behind = new Int32Array(gains.length)
    for (let phrase = 0; phrase < gains.length; phrase++)
      if (gains[phrase]! > 0) this.put(phrase, Math.min(this.gain, Math.floor(gains[phrase]!)))
  }

  /** Takes out the phrase of most gain; -1 where none is left. */
  take(): number {
    const { heads, behind } = this
    while (this.gain > 0 && heads[this.gain] === -1) this.gain--
    const phrase = heads[this.gain]!
    if (phrase >= 0) heads[this.gain] = behind[phrase]!
    return phrase
  }

  /** Puts the phrase taken last back if its gain turned out to be less than it was taken for, but not nothing. */
  putBack(phrase: number, gain: number): boolean {
    if (gain <= 0 || gain >= this.gain) return false
    this.put(phrase, Math.floor(gain))
    return true
  }

  /** Gives its memory back; nothing can be taken any more. */
  free(): void {
    freeArrays(this.heads, this.behind)
  }

  private put(phrase: number, gain: number): void {
    this.behind[phrase] = this.heads[gain]!
    this.heads[gain] = phrase
  }
}

/** Gains above are not told apart. */
const MOST = 1 << 20
