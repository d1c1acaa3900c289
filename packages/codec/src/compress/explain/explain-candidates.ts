import { findPhrases, type FoundPhrases } from '../candidates/find-phrases.ts'
import { HeaderCosts } from '../cost/header-cost.ts'
import { indexRepeats } from '../candidates/index-repeats.ts'
import { lexUnits, type Units } from '../text/lex-units.ts'
import type { PhraseRule } from '../candidates/phrase-rule.ts'
import type { PreparedText } from '../prepare-text.ts'

/** Repeated phrases of a text as if nothing in it were protected and no rule held. */
export interface Candidates {
  /** As the text's own, but nothing is blocked; boundaries are the same. */
  readonly units: Units
  readonly headerCosts: HeaderCosts
  readonly source: FoundPhrases
  /** Phrases by what they would save at most, the best first. */
  readonly order: Int32Array
}

/** Phrases that fall short of paying by two tokens are candidates still. */
const NEARLY_PAYING: PhraseRule = { demand: () => -2 }

/** Finds all repeated phrases that nearly pay at least. */
export function findCandidates(prepared: PreparedText): Candidates {
  const { plan, edges, tokenizer, tally } = prepared
  const { text } = prepared.units
  const pieces = tokenizer.splitPieces(text)
  const newlines = !plan.keepsLines
  const units = lexUnits(text, new Int32Array(0), newlines, plan.readable ? undefined : pieces.ends)
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, tally, newlines })
  const costs = { units, edges, headerCosts, rule: NEARLY_PAYING }
  const source = findPhrases(indexRepeats(units, newlines ? 'most' : 'all'), costs)
  const { best } = source
  const order = Int32Array.from(best.keys()).sort((a, b) => best[b]! - best[a]! || a - b)
  return { units, headerCosts, source, order }
}
