import type { FoundPack, FoundSection } from '../store.ts'

/** A section that may become a passage. */
export interface Candidate {
  readonly pack: FoundPack
  readonly ordinal: number
  readonly section: FoundSection
  readonly score: number
  /** What each term of the question contributes to the score. */
  readonly contributions: Float64Array
  readonly text: string
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
 * Tokens that are added to those of a passage before they are weighed, and how steeply the score
 * counts: with 1, a short passage of little use would go before a long one that answers.
 */
const FIXED_TOKENS = 300
const STEEPNESS = 4
/** A passage that adds less than this share of the best score is omitted, even if it would fit. */
const LEAST = 0.05

/**
 * Chooses passages within a budget: again and again the one that adds most to what the others say
 * for its tokens. What a term contributes counts less the more of it is there already, so that each
 * part of a question with two parts gets passages. This is the greedy algorithm for a budgeted
 * coverage problem (Khuller, Moss, Naor, "The budgeted maximum coverage problem", 1999): the best
 * single passage is taken instead if it is worth more. Duplicates of a passage are not chosen.
 *
 * @param candidates best first
 * @returns the passages in the order in which they were chosen
 */
export function choosePassages(candidates: readonly Sized[], budget: number): readonly Sized[] {
  const chosen: Sized[] = []
  const rest = new Set(candidates)
  const covered = new Float64Array(candidates[0]?.contributions.length ?? 0)
  let left = budget
  let worth = 0
  for (;;) {
    let best: Sized | undefined
    let most = 0
    for (const candidate of rest) {
      const added = addedScore(candidate, covered)
      if (candidate.tokens > left || added < LEAST * candidates[0]!.score) continue
      const rate = added ** STEEPNESS / (candidate.tokens + FIXED_TOKENS)
      if (rate > most) [best, most] = [candidate, rate]
    }
    if (best === undefined) break
    worth += addedScore(best, covered)
    for (const [term, value] of best.contributions.entries()) covered[term] = Math.max(covered[term]!, value)
    left -= best.tokens
    chosen.push(best)
    // Only the part of a section that was chosen counts.
    for (const other of rest) if (isDuplicate(best.shingles, other.shingles)) rest.delete(other)
  }
  const single = candidates.find(({ tokens }) => tokens <= budget)
  return single !== undefined && single.score > worth ? [single] : chosen
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
 * Lists the five-word shingles of a text (Broder, "On the resemblance and containment of
 * documents", 1997). In scripts without spaces a character counts as a word.
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
