import { findTerms, HEADING, PATH, TITLE, USES_SHIFT } from '../entries/vector.ts'
import type { Form, ResolvedQuery } from '../query/resolve-query.ts'
import type { EntryRow } from '../store.ts'

/** Where words of a query occur. */
export type Field = 'title' | 'heading' | 'text'

/** The score of an entry for a query. */
export interface EntryScore {
  readonly score: number
  readonly matched: readonly Field[]
  /** Whether the entry contains all words. */
  readonly hasAll: boolean
  /** The share of the weight of all words that it contains, from 0 to 1. */
  readonly coverage: number
  /** Whether it contains only words that are searched in another spelling. */
  readonly isOnlyRepaired: boolean
  /** Whether all words are in the title or slug. */
  readonly isInTitle: boolean
}

/** Tuned on several sets of queries, including `bench/search`. */
interface Weights {
  /** Number of uses of a term beyond which more uses count little. */
  readonly saturation: number
  /** How much long texts are penalized; 0 to 1. */
  readonly lengthShare: number
  /** The usual length, as a multiple of the average section. */
  readonly lengthFactor: number
  /** How much a term in each field outside the text counts, in uses in a text of usual length. */
  readonly heading: number
  readonly path: number
  readonly title: number
}

const SECTION: Weights = {
  saturation: 1.9,
  lengthShare: 0.6,
  lengthFactor: 1,
  heading: 1.6,
  path: 1.7,
  title: 1,
}
const PACK: Weights = {
  saturation: 1.5,
  lengthShare: 0.45,
  lengthFactor: 4.5,
  heading: 0.02,
  path: 0.1,
  title: 9,
}

/** How much of the score depends on the share of words that the entry contains, and how steeply. */
const COVERAGE = 0.5
const COVERAGE_POWER = 1.6

/** Scores entries for one query. */
export interface Scorer {
  score(entry: EntryRow): EntryScore
  /** What each term contributes to the score, in the same order for all entries of a query. */
  contribute(entry: EntryRow): Float64Array
}

/** A term with its weight and substitutes. Terms are indices into the list of the query's terms. */
interface WeightedTerm {
  readonly term: number
  readonly weight: number
  readonly substitutes: readonly Form[]
}

/**
 * BM25F: uses in all fields are added with weights before they saturate (Robertson, Zaragoza,
 * Taylor, "Simple BM25 extension to multiple weighted fields", 2004). Missing words lower the sum.
 */
export function createScorer(query: ResolvedQuery): Scorer {
  const wanted = Int32Array.from(query.sections.keys()).toSorted()
  const indices = new Map([...wanted].map((term, index) => [term, index]))
  const toIndices = ({ terms, share }: Form): Form => ({
    terms: terms.map((term) => indices.get(term) ?? -1),
    share,
  })
  const words = query.words.map((word) => ({ ...word, forms: word.forms.map(toIndices) }))
  const total = words.reduce((sum, { weight }) => sum + weight, 0)
  const terms: WeightedTerm[] = [...query.weights].map(([term, weight]) => {
    return {
      term: indices.get(term)!,
      weight,
      substitutes: (query.substitutes.get(term) ?? []).map(toIndices),
    }
  })
  const average = query.totals.words / Math.max(1, query.totals.sections)
  const script = indices.get(query.script)
  const flags = new Uint8Array(wanted.length)
  const strength = new Float64Array(wanted.length)

  const readStrengths = ({ vector, ordinal }: EntryRow): void => {
    const weights = ordinal < 0 ? PACK : SECTION
    const length = findTerms(vector, wanted, flags)
    const usual = Math.max(1, weights.lengthFactor * average)
    const norm = 1 - weights.lengthShare + (weights.lengthShare * length) / usual
    for (let at = 0; at < flags.length; at++) {
      const uses = countUses(flags[at]!, norm, weights)
      strength[at] = uses / (weights.saturation + uses)
    }
  }

  const weighTerm = ({ term, weight, substitutes }: WeightedTerm): number => {
    let most = strength[term]!
    for (const form of substitutes) most = Math.max(most, form.share * findWeakest(form, strength))
    return weight * most
  }

  return {
    score(entry) {
      readStrengths(entry)
      let score = 0
      for (const term of terms) score += weighTerm(term)
      let covered = 0
      let hasAll = true
      let isOnlyRepaired = true
      for (const { forms, weight, isRepaired } of words) {
        let most = 0
        for (const form of forms) most = Math.max(most, form.share * measureCoverage(form, flags))
        covered += weight * most
        if (most < 1) hasAll = false
        if (most > 0 && !isRepaired) isOnlyRepaired = false
      }
      const coverage = total === 0 ? 0 : covered / total
      return {
        score: score * (1 - COVERAGE + COVERAGE * coverage ** COVERAGE_POWER),
        hasAll,
        coverage,
        isOnlyRepaired,
        matched: listFields(flags, entry.ordinal, script),
        isInTitle: words.every(({ forms }) => forms.some((form) => isInTitle(form, flags))),
      }
    },
    contribute(entry) {
      readStrengths(entry)
      return Float64Array.from(terms, weighTerm)
    },
  }
}

/** Uses in the text, normalized to the usual length, plus the weights of other fields. */
function countUses(flags: number, norm: number, weights: Weights): number {
  return (
    (flags >> USES_SHIFT) / norm +
    ((flags & HEADING) === 0 ? 0 : weights.heading) +
    ((flags & PATH) === 0 ? 0 : weights.path) +
    ((flags & TITLE) === 0 ? 0 : weights.title)
  )
}

function findWeakest({ terms }: Form, strength: Float64Array): number {
  let least = 1
  for (const term of terms) least = Math.min(least, strength[term] ?? 0)
  return least
}

function measureCoverage({ terms }: Form, flags: Uint8Array): number {
  let count = 0
  for (const term of terms) if ((flags[term] ?? 0) !== 0) count += 1
  return count / terms.length
}

function isInTitle({ terms, share }: Form, flags: Uint8Array): boolean {
  return share === 1 && terms.every((term) => ((flags[term] ?? 0) & TITLE) !== 0)
}

/** @param script The index of a term that is not a word. */
function listFields(flags: Uint8Array, ordinal: number, script: number | undefined): Field[] {
  let all = 0
  for (const [index, found] of flags.entries()) if (index !== script) all |= found
  // The path of a pack is its description and tags.
  const headings = ordinal < 0 ? HEADING : HEADING | PATH
  const fields: Field[] = []
  if ((all & TITLE) !== 0) fields.push('title')
  if ((all & headings) !== 0) fields.push('heading')
  if (all >> USES_SHIFT !== 0) fields.push('text')
  return fields
}
