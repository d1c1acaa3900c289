import { heapify, siftDown } from './gain-heap.ts'
import type { PhraseSet } from './phrase-set.ts'

/**
 * Takes phrase after phrase, always the one that still saves most net tokens where nothing is replaced yet.
 *
 * Gains only fall, so a stale gain at the top of the heap is counted again before it is believed (lazy greedy: M. Minoux,
 * "Accelerated greedy algorithms for maximizing submodular set functions", 1978).
 */
export function chooseGreedily(set: PhraseSet): number[] {
  const covered = new Uint8Array(set.units)
  const gains = new Float64Array(set.count)
  const heap = new Int32Array(set.count)
  let size = 0
  for (let phrase = 0; phrase < set.count; phrase++) {
    gains[phrase] = takePhrase(set, phrase, covered, false)
    if (gains[phrase]! > 0) heap[size++] = phrase
  }
  heapify(heap, size, gains)
  const chosen: number[] = []
  while (size > 0) {
    const phrase = heap[0]!
    const gain = takePhrase(set, phrase, covered, false)
    if (gain > 0 && gain < gains[phrase]!) {
      gains[phrase] = gain
      siftDown(heap, size, gains, 0)
      continue
    }
    if (gain > 0) {
      takePhrase(set, phrase, covered, true)
      chosen.push(phrase)
    }
    heap[0] = heap[--size]!
    siftDown(heap, size, gains, 0)
  }
  return chosen
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
