import type { EvalScheme, Grade, SchemeOutcome, Verdict } from '../types.ts'
import { assessPairs } from './compare-pairs.ts'
import { questionsNeeded } from './power.ts'

/** The grades of the two answers to a question about a document. */
export interface GradedPair {
  readonly document: string
  readonly source: Grade
  readonly arm: Grade
}

/** A scheme with the pairs that verdicts are about, or without any as it writes the source. */
export interface SchemePairs {
  readonly scheme: EvalScheme
  readonly pairs: readonly GradedPair[] | 'same prompt'
}

/**
 * Decides about schemes in the order given, the lightest first. Each is tested at the full level:
 * in a fixed order that ends at the first scheme that is not `as good`, any scheme is called so
 * wrongly no more often than one (Maurer, Hothorn & Lehmacher 1995, in Biometrie in der
 * chemisch-pharmazeutischen Industrie 6:3-18). Later schemes have figures, and are `not tested`.
 *
 * Where grades are undecided, a verdict must hold with all of them right, and with all wrong.
 *
 * @param margin in percentage points, above 0
 */
export function decideSchemes(schemes: readonly SchemePairs[], margin: number): SchemeOutcome[] {
  let isOpen = true
  return schemes.map(({ scheme, pairs }): SchemeOutcome => {
    if (pairs === 'same prompt')
      return { scheme, verdict: 'same prompt', figures: null, undecided_wrong: null, needed: null }
    const assess = (undecided: Grade): Assessment =>
      assessPairs(
        pairs.map(({ document, source, arm }) => ({
          document,
          source: (source === 'undecided' ? undecided : source) === 'right',
          arm: (arm === 'undecided' ? undecided : arm) === 'right',
        })),
      )
    const isDecided = pairs.every(({ source, arm }) => source !== 'undecided' && arm !== 'undecided')
    const all = isDecided ? [assess('right')] : [assess('right'), assess('wrong')]
    const verdict = isOpen ? judge(all, margin) : 'not tested'
    isOpen = verdict === 'as good'
    const needed = verdict === 'too few questions' ? estimateNeeded(all, margin) : null
    return { scheme, verdict, figures: all[0]!.figures, undecided_wrong: all[1]?.figures ?? null, needed }
  })
}

type Assessment = ReturnType<typeof assessPairs>

/** Returns the verdict that all figures give; above the margin and below 0 is `as good`. */
function judge(all: readonly Assessment[], margin: number): Verdict {
  if (all.every(({ figures }) => figures.interval[0] > -margin / 100)) return 'as good'
  return all.every(({ figures }) => figures.interval[1] < 0) ? 'worse' : 'too few questions'
}

/** Returns the most that one of the figures needs, or null if no number would do for one. */
function estimateNeeded(all: readonly Assessment[], margin: number): number | null {
  let most = 0
  for (const { figures, worth } of all) {
    const asked = Math.max(1, figures.questions)
    const needed = questionsNeeded(figures.only_arm / asked, figures.only_source / asked, margin)
    if (needed === null) return null
    // More where answers about one document have something in common, and about more documents then.
    most = Math.max(most, Math.ceil(needed * worth))
  }
  return most
}
