import { coverText, createCover, freeCover } from './cover-text.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'
import { markPhrases, settleEntries, type Selection } from './settle-entries.ts'

/** Where a descent stands. */
export interface Descent {
  best: Selection
  /** Least value of a cover so far: no selection of the set's phrases is worth more. */
  bound: number
  /** Part of the full step length, falling where the bound stalls. */
  scale: number
}

const SETTLE_EVERY = 30
const PATIENCE = 2
const SHRINK = 0.55
const HOPEFUL = 0.5
/** Rounds of taking shares back, after which what is left over is scaled away. */
const MAX_ROUNDS = 3

/** Takes `steps` subgradient steps on `shares`, settling a selection now and then. */
export function descendBound(set: PhraseSet, shares: Float32Array, descent: Descent, steps: number): void {
  const cover = createCover(set.units)
  const weights = new Float32Array(set.slotCount)
  const tally: Tally = { uses: new Int32Array(set.count), gross: new Float64Array(set.count), phrases: [] }
  let stalled = 0
  descent.bound = Infinity
  for (let slot = 0; slot < set.slotCount; slot++) weights[slot] = set.slotSaved[slot]! - shares[slot]!
  for (let step = 1; step <= steps; step++) {
    const value = coverText(set, weights, cover)
    stalled = value < descent.bound * 0.9999 ? 0 : stalled + 1
    descent.bound = Math.min(descent.bound, value)
    if (stalled >= PATIENCE) {
      descent.scale *= SHRINK
      stalled = 0
    }
    const used = cover.used.subarray(0, cover.usedCount)
    tallyUses(set, used, tally)
    if (step % SETTLE_EVERY === 0 || step === steps) settleFrom(set, tally, descent)
    if (!moveShares(set, shares, weights, used, tally, descent.scale * (value - descent.best.value))) break
  }
  freeCover(cover)
  freeArrays(weights, tally.uses, tally.gross)
}

function settleFrom(set: PhraseSet, tally: Tally, descent: Descent): void {
  const wanted = tally.phrases.filter((phrase) => tally.gross[phrase]! >= set.cost[phrase]! * HOPEFUL)
  for (const phrases of [wanted, [...wanted, ...descent.best.gross.keys()]]) {
    const selection = settleEntries(set, markPhrases(set, phrases))
    if (selection.value > descent.best.value) descent.best = selection
  }
}

/** Phrases that a cover uses, how often, and what their uses save. */
interface Tally {
  readonly uses: Int32Array
  readonly gross: Float64Array
  phrases: number[]
}

function tallyUses(set: PhraseSet, used: Int32Array, tally: Tally): void {
  for (const phrase of tally.phrases) {
    tally.uses[phrase] = 0
    tally.gross[phrase] = 0
  }
  tally.phrases = []
  for (const slot of used) {
    const phrase = set.slotPhrase[slot]!
    if (tally.uses[phrase]!++ === 0) tally.phrases.push(phrase)
    tally.gross[phrase]! += set.slotSaved[slot]!
  }
}

/** One subgradient step on the shares of each phrase in use, which keep their sum; false where there is nothing to move. */
function moveShares(
  set: PhraseSet,
  shares: Float32Array,
  weights: Float32Array,
  used: Int32Array,
  tally: Tally,
  gap: number,
): boolean {
  const { firstByPhrase, slotsByPhrase } = set
  let norm = 0
  for (const phrase of tally.phrases) {
    const uses = tally.uses[phrase]!
    norm += uses * (1 - uses / (firstByPhrase[phrase + 1]! - firstByPhrase[phrase]!))
  }
  if (norm < 1e-9 || gap <= 0) return false
  const step = gap / norm
  for (const slot of used) shares[slot]! += step
  for (const phrase of tally.phrases) {
    const from = firstByPhrase[phrase]!
    const to = firstByPhrase[phrase + 1]!
    let excess = tally.uses[phrase]! * step
    for (let round = 0; excess > 1e-6 && round < MAX_ROUNDS; round++) {
      let positive = 0
      for (let at = from; at < to; at++) if (shares[slotsByPhrase[at]!]! > 0) positive++
      const cut = excess / positive
      excess = 0
      for (let at = from; at < to; at++) {
        const slot = slotsByPhrase[at]!
        const share = shares[slot]!
        if (share <= 0) continue
        shares[slot] = Math.max(0, share - cut)
        excess += Math.max(0, cut - share)
      }
    }
    let sum = 0
    for (let at = from; at < to; at++) sum += shares[slotsByPhrase[at]!]!
    const scale = sum > set.cost[phrase]! ? set.cost[phrase]! / sum : 1
    for (let at = from; at < to; at++) {
      const slot = slotsByPhrase[at]!
      shares[slot] = shares[slot]! * scale
      weights[slot] = set.slotSaved[slot]! - shares[slot]
    }
  }
  return true
}

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
