import { freeArrays } from '../text/free-arrays.ts'
import { GainQueue } from './gain-queue.ts'
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
