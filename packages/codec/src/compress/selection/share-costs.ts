import { freeArrays } from '../text/free-arrays.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'
import type { Selection } from './settle-entries.ts'

/** First shares: in proportion to what a slot is worth beyond the places it would take from `selection`. */
export function shareBySelection(set: PhraseSet, selection: Selection): Float32Array {
  const { slotStart, slotPhrase, slotSaved, cost } = set
  const prices = new Float64Array(set.units + 1)
  const chosen = new Uint8Array(set.slotCount)
  for (const slot of selection.slots) {
    chosen[slot] = 1
    const phrase = slotPhrase[slot]!
    const net = slotSaved[slot]! * (1 - cost[phrase]! / selection.gross.get(phrase)!)
    prices.fill(net / set.length[phrase]!, slotStart[slot], set.slotEnd[slot])
  }
  for (let unit = 0, sum = 0; unit <= set.units; unit++) {
    const price = prices[unit]!
    prices[unit] = sum
    sum += price
  }
  const shares = new Float32Array(set.slotCount)
  for (let slot = 0; slot < set.slotCount; slot++) {
    const isChosen = selection.gross.has(slotPhrase[slot]!)
    const price = prices[set.slotEnd[slot]!]! - prices[slotStart[slot]!]!
    shares[slot] = isChosen
      ? chosen[slot] === 1
        ? slotSaved[slot]!
        : 0
      : Math.max(0, slotSaved[slot]! - price)
  }
  freeArrays(prices, chosen)
  for (let phrase = 0; phrase < set.count; phrase++) scaleShares(set, shares, phrase)
  return shares
}

function scaleShares(
  { cost, firstByPhrase, slotsByPhrase }: PhraseSet,
  shares: Float32Array,
  phrase: number,
): void {
  const from = firstByPhrase[phrase]!
  const to = firstByPhrase[phrase + 1]!
  let sum = 0
  for (let at = from; at < to; at++) sum += shares[slotsByPhrase[at]!]!
  for (let at = from; at < to; at++) {
    const slot = slotsByPhrase[at]!
    shares[slot] = sum > 0 ? (shares[slot]! * cost[phrase]!) / sum : cost[phrase]! / (to - from)
  }
}
