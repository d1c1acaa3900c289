import { findPhrases } from './find-phrases.ts'
import { lexUnits, type Units } from './lex-units.ts'
import type { PhraseSource } from './phrase-set.ts'
import type { PreparedText } from './prepare-text.ts'

/** Repeated phrases of a text as if nothing in it were protected and no rule held. */
export interface Candidates {
  /** As the text's own, but nothing is blocked; boundaries are the same. */
  readonly units: Units
  readonly source: PhraseSource
  /** Phrases by what they would save at most, the best first. */
  readonly order: Int32Array
}

/** Phrases that fall short of paying by this many tokens are candidates still. */
const SHORTFALL = 2

/** Finds all repeated phrases that nearly pay at least. */
export function findCandidates(prepared: PreparedText): Candidates {
  const { plan, edges, headerCost, tokenizer } = prepared
  const { text } = prepared.units
  const cuts = plan.readable ? undefined : tokenizer.splitPieces(text).ends
  const units = lexUnits(text, new Int32Array(0), !plan.keepsLines, cuts)
  const source = findPhrases(units, edges, headerCost, () => -SHORTFALL, !plan.keepsLines)
  const hopes = measureHopes(source, prepared)
  const order = Int32Array.from(hopes.keys()).sort((a, b) => hopes[b]! - hopes[a]! || a - b)
  return { units, source, order }
}

/** What each phrase would net if all its places could be used, overlapping ones too. */
function measureHopes(
  { sample, length, cost, from, to, places }: PhraseSource,
  { edges }: PreparedText,
): Float64Array {
  const { begins, ends } = edges
  return Float64Array.from(sample, (_, phrase) => {
    let gross = 0
    for (let place = from[phrase]!; place < to[phrase]!; place++) {
      const begin = places[place]!
      gross += Math.max(0, ends[begin + length[phrase]!]! - begins[begin]!)
    }
    return gross - cost[phrase]!
  })
}
