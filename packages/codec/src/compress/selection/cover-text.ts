import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'

/** Occurrences that a cover may use: the part of a candidate set that {@link coverText} reads. */
export type CoverProblem = Pick<CandidateSet, 'units' | 'firstByEnd' | 'occurrenceStart' | 'adjacencyGain'>

/**
 * Work space of {@link coverText}, kept between calls. `used[0 … usedCount - 1]` are the occurrences of the last
 * cover, from the end of the text.
 */
export interface CoverWorkspace {
  /** Best value up to each boundary, for an occurrence that starts there. */
  readonly reach: Float64Array
  /** Best value up to each boundary, of covers whose last occurrence ends there. */
  readonly ending: Float64Array
  readonly used: Int32Array
  usedCount: number
  /** Whether the best cover ends with an occurrence at the last boundary. */
  endsInOccurrence: boolean
  /** How each boundary is best reached. */
  readonly steps: Uint8Array
}

export function createCoverWorkspace(units: number): CoverWorkspace {
  return {
    reach: new Float64Array(units + 1),
    ending: new Float64Array(units + 1),
    used: new Int32Array(units + 1),
    usedCount: 0,
    endsInOccurrence: false,
    steps: new Uint8Array(units + 1),
  }
}

/** Frees the memory; the workspace must not be used afterwards. */
export function freeCoverWorkspace({ reach, ending, used, steps }: CoverWorkspace): void {
  freeArrays(reach, ending, used, steps)
}

const TEXT_AFTER_OCCURRENCE = 1
const OCCURRENCE_AFTER_OCCURRENCE = 2

/**
 * Finds the best cover of the text: the occurrences of maximal total weight that do not overlap. Weighted interval
 * scheduling, solved by dynamic programming over unit boundaries (J. Kleinberg, É. Tardos, "Algorithm Design",
 * 2005, section 6.1), with two states a boundary because an adjacent occurrence may save more or less.
 *
 * @param weights Weight of each occurrence.
 * @returns the total weight; the occurrences are in `workspace.used`.
 */
export function coverText(problem: CoverProblem, weights: Float32Array, workspace: CoverWorkspace): number {
  const value = weighCover(problem, weights, workspace)
  traceBack(problem, weights, workspace)
  return value
}

/** Returns the total weight of the best cover, as {@link coverText} does, without finding its occurrences. */
export function weighCover(
  { units, firstByEnd, occurrenceStart, adjacencyGain }: CoverProblem,
  weights: Float32Array,
  workspace: CoverWorkspace,
): number {
  const { reach, ending, steps } = workspace
  reach[0] = 0
  let byText = 0
  let byOccurrence = -Infinity
  let occurrence = firstByEnd[1]!
  for (let end = 1; end <= units; end++) {
    let step = 0
    if (byOccurrence > byText) {
      byText = byOccurrence
      step = TEXT_AFTER_OCCURRENCE
    }
    byOccurrence = -Infinity
    const stop = firstByEnd[end + 1]!
    for (; occurrence < stop; occurrence++) {
      const value = reach[occurrenceStart[occurrence]!]! + weights[occurrence]!
      if (value > byOccurrence) byOccurrence = value
    }
    ending[end] = byOccurrence
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

/** Finds the occurrences of the best cover; of equally good ones that end at a boundary the first. */
function traceBack(
  { units, firstByEnd, occurrenceStart }: CoverProblem,
  weights: Float32Array,
  workspace: CoverWorkspace,
): void {
  const { used, reach, ending, steps } = workspace
  let count = 0
  let at = units
  let inOccurrence = workspace.endsInOccurrence
  while (at > 0) {
    if (inOccurrence) {
      let last = firstByEnd[at]!
      while (reach[occurrenceStart[last]!]! + weights[last]! !== ending[at]) last++
      used[count++] = last
      at = occurrenceStart[last]!
      inOccurrence = at > 0 && (steps[at]! & OCCURRENCE_AFTER_OCCURRENCE) !== 0
    } else {
      inOccurrence = (steps[at]! & TEXT_AFTER_OCCURRENCE) !== 0
      at--
    }
  }
  workspace.usedCount = count
}
