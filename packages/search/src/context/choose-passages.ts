import type { FoundPack, FoundSection } from '../store.ts'
import type { LinkedText } from '@packs/codec/internal'

/** A section that may become a passage. */
export interface Candidate {
  readonly pack: FoundPack
  readonly ordinal: number
  readonly section: FoundSection
  readonly score: number
  /** What each term of the question contributes to the score. */
  readonly contributions: Float64Array
  readonly text: string
  /** The addresses of the numbers in the text; none if its links have none. */
  readonly linked: Omit<LinkedText, 'text'>
  /** Those of the text. */
  readonly shingles: ReadonlySet<string>
}

/** A candidate with the tokens that it takes in an answer, about. */
export interface Sized extends Candidate {
  readonly tokens: number
  /** Whether the text is only a part of the section. */
  readonly isCut: boolean
}

/** How much of a term's contribution a passage loses if those before it have it too. */
const COVERED = 0.9
/**
 * Added to the tokens of a passage before they are weighed, and how steeply the score counts: with
 * 1, a short passage of little use would go before a long one that answers.
 */
const FIXED_TOKENS = 300
const STEEPNESS = 4
/** A passage that adds less than this share of the best score is omitted, even if it would fit. */
const LEAST = 0.05
/**
 * A section too long for what is left is cut once more if this share of its score is new, as for
 * another part of the question, and so many tokens are left.
 */
const NEW = 0.5
const LEAST_TOKENS = 150
/** Its share of what is left: its tokens are estimated, and it leaves if the text is too long. */
const ESTIMATE = 0.85

/** Returns a section as far as it fits a limit of tokens; `undefined` if no part of it does. */
type Fit = (candidate: Candidate, limit?: number) => Sized | undefined

/**
 * Chooses passages within a budget: again and again the one that adds most to what the others say
 * for its tokens. What a term contributes counts less the more of it is there already, so that each
 * part of a question with two parts gets passages. This is the greedy algorithm for a budgeted
 * coverage problem (Khuller, Moss, Naor, "The budgeted maximum coverage problem", 1999): the best
 * single passage is taken instead if it is worth more. Duplicates of a passage are not chosen.
 * @param candidates best first
 * @param fit cuts a section to its share of the budget, unless a limit is given
 * @returns the passages in the order in which they were chosen
 */
export function choosePassages(candidates: readonly Candidate[], budget: number, fit: Fit): readonly Sized[] {
  const chosen: Sized[] = []
  const sized = candidates.map((candidate) => [candidate, fit(candidate)] as const)
  const rest = new Map(sized.filter((pair): pair is [Candidate, Sized] => pair[1] !== undefined))
  const covered = new Float64Array(candidates[0]?.contributions.length ?? 0)
  let left = budget
  let worth = 0
  for (;;) {
    let candidate: Candidate | undefined
    let most = 0
    for (const [other, { tokens }] of rest) {
      if (isWeak(other, covered, candidates)) continue
      const added = addedScore(other, covered)
      if (tokens > left && (added < NEW * other.score || left < LEAST_TOKENS)) continue
      const rate = added ** STEEPNESS / (Math.min(tokens, left) + FIXED_TOKENS)
      if (rate > most) [candidate, most] = [other, rate]
    }
    if (candidate === undefined) break
    const whole = rest.get(candidate)!
    rest.delete(candidate)
    const best = whole.tokens <= left ? whole : fit(candidate, ESTIMATE * left)
    if (best === undefined || best.tokens > left) continue
    worth += addedScore(best, covered)
    cover(covered, best)
    left -= best.tokens
    chosen.push(best)
    // Only the part of a section that was chosen counts.
    for (const other of rest.keys()) if (isDuplicate(best.shingles, other.shingles)) rest.delete(other)
  }
  const [, single] = sized.find(([, found]) => found !== undefined && found.tokens <= budget) ?? []
  return single !== undefined && single.score > worth ? [single] : chosen
}

function cover(covered: Float64Array, { contributions }: Candidate): void {
  for (const [term, value] of contributions.entries()) covered[term] = Math.max(covered[term]!, value)
}

/** Returns how far passages cover each term. */
export function coverTerms(chosen: readonly Candidate[]): Float64Array {
  const covered = new Float64Array(chosen[0]?.contributions.length ?? 0)
  for (const one of chosen) cover(covered, one)
  return covered
}

/** Whether a section says little that passages which cover some terms do not. */
export function isWeak(candidate: Candidate, covered: Float64Array, [best]: readonly Candidate[]): boolean {
  return covered.length > 0 && addedScore(candidate, covered) < LEAST * best!.score
}

/** Returns what a candidate adds to passages that cover the terms so far. */
function addedScore({ score, contributions }: Candidate, covered: Float64Array): number {
  let all = 0
  let added = 0
  for (const [term, value] of contributions.entries()) {
    all += value
    added += value - COVERED * Math.min(value, covered[term]!)
  }
  return all === 0 ? 0 : (score * added) / all
}

/** Words of a shingle, and the share of shingles from which on two texts are taken for the same. */
const WORDS = 5
const SAME = 0.9

const WORD = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[\p{L}\p{N}]+/gv

/**
 * Five-word shingles (Broder, "On the resemblance and containment of documents", 1997). In scripts
 * without spaces a character counts as a word.
 */
export function listShingles(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [text]
  const count = Math.max(1, words.length - WORDS + 1)
  return new Set(Array.from({ length: count }, (_, at) => words.slice(at, at + WORDS).join(' ')))
}

/** Whether 90 % of the shingles of the smaller one of two texts are in the other. */
export function isDuplicate(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  // The number of misses that is allowed ends most comparisons after a few shingles.
  let misses = Math.floor((1 - SAME) * small.size + 1e-9)
  for (const shingle of small) if (!large.has(shingle) && misses-- <= 0) return false
  return true
}

/** Whether two texts are duplicates, and neither has much that the other lacks. */
export function isCopy(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return Math.min(a.size, b.size) >= SAME * Math.max(a.size, b.size) && isDuplicate(a, b)
}
