import type { CandidateSet } from '../candidates/candidate-set.ts'

/**
 * Workspace of {@link coverText}, reused between calls. `used[0 … usedCount - 1]` are the
 * occurrences of the last cover, from the end of the text backwards.
 */
export interface CoverWorkspace {
  /** Best value up to each boundary if an occurrence starts there. */
  readonly reach: Float64Array
  readonly used: Int32Array
  usedCount: number
  endsInOccurrence: boolean
  /** Best occurrence that ends at each boundary, and the best way to reach each boundary. */
  readonly choice: Int32Array
  readonly steps: Uint8Array
}

export function createCoverWorkspace(units: number): CoverWorkspace {
  return {
    reach: new Float64Array(units + 1),
    used: new Int32Array(units + 1),
    usedCount: 0,
    endsInOccurrence: false,
    choice: new Int32Array(units + 1),
    steps: new Uint8Array(units + 1),
  }
}

const TEXT_AFTER_OCCURRENCE = 1
const OCCURRENCE_AFTER_OCCURRENCE = 2

/**
 * Finds the best cover of the text or of one segment: non-overlapping occurrences with the greatest
 * total weight. Weighted interval scheduling, solved by dynamic programming over unit boundaries
 * (J. Kleinberg, É. Tardos, "Algorithm Design", 2005, section 6.1), with two states per boundary
 * because an adjacent occurrence may save more or less.
 * @param weights Weight of each occurrence.
 * @param from First boundary of the segment. No occurrence may span it, and none that starts there
 *   may directly follow another.
 * @param to Last boundary of the segment; the same applies.
 * @returns The total weight. The occurrences are in `workspace.used`.
 */
export function coverText(
  set: CandidateSet,
  weights: Float32Array,
  workspace: CoverWorkspace,
  from = 0,
  to: number = set.units,
): number {
  const value = sweepBoundaries(set, weights, workspace, from, to)
  traceBack(set, workspace, from, to)
  return value
}

function sweepBoundaries(
  { firstByEnd, occurrenceStart, adjacencyGain }: CandidateSet,
  weights: Float32Array,
  workspace: CoverWorkspace,
  from: number,
  to: number,
): number {
  const { reach, choice, steps } = workspace
  reach[from] = 0
  let byText = 0
  let byOccurrence = -Infinity
  let occurrence = firstByEnd[from + 1]!
  for (let end = from + 1; end <= to; end++) {
    let step = 0
    if (byOccurrence > byText) {
      byText = byOccurrence
      step = TEXT_AFTER_OCCURRENCE
    }
    byOccurrence = -Infinity
    let best = -1
    const stop = firstByEnd[end + 1]!
    for (; occurrence < stop; occurrence++) {
      const value = reach[occurrenceStart[occurrence]!]! + weights[occurrence]!
      if (value > byOccurrence) {
        byOccurrence = value
        best = occurrence
      }
    }
    choice[end] = best
    const withAdjacency = byOccurrence + adjacencyGain[end]!
    if (withAdjacency > byText) {
      reach[end] = withAdjacency
      step |= OCCURRENCE_AFTER_OCCURRENCE
    } else reach[end] = byText
    steps[end] = step
  }
  workspace.endsInOccurrence = byOccurrence > byText
  return Math.max(byText, byOccurrence)
}

function traceBack(
  { occurrenceStart }: CandidateSet,
  workspace: CoverWorkspace,
  from: number,
  to: number,
): void {
  const { used, choice, steps } = workspace
  let count = 0
  let at = to
  let inOccurrence = workspace.endsInOccurrence
  while (at > from) {
    if (inOccurrence) {
      const last = choice[at]!
      used[count++] = last
      at = occurrenceStart[last]!
      inOccurrence = at > from && (steps[at]! & OCCURRENCE_AFTER_OCCURRENCE) !== 0
    } else {
      inOccurrence = (steps[at]! & TEXT_AFTER_OCCURRENCE) !== 0
      at--
    }
  }
  workspace.usedCount = count
}
