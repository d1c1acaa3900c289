import { IntList } from '../text/int-list.ts'
import { type CandidateSet, dropUnusedBoundaries, restrictSet } from '../candidates/candidate-set.ts'

/** Entries that pay, and the occurrences that they replace. */
export interface Selection {
  /** Net tokens saved under the cost model. */
  readonly value: number
  /** Ascending. */
  readonly occurrences: Int32Array
  /** Selected candidates, with the tokens that the occurrences of each save. */
  readonly gross: ReadonlyMap<number, number>
}

export const EMPTY_SELECTION: Selection = { value: 0, occurrences: new Int32Array(0), gross: new Map() }

const MAX_ROUNDS = 14

/**
 * Selects from the candidates marked in `wanted`: covers the text with them and drops those that do
 * not pay for their header entries.
 * @param banned 1 for occurrences that must stay unused.
 */
export function pruneEntries(set: CandidateSet, wanted: Uint8Array, banned?: Uint8Array): Selection {
  const kept = restrictSet(set, wanted, banned)
  const part = dropUnusedBoundaries(kept)
  const cover = new ShrinkingCover(part)
  const value = dropUnprofitable(part, cover)
  const gross = new Map<number, number>()
  for (let candidate = 0; candidate < part.count; candidate++) {
    if (cover.uses[candidate]! > 0) gross.set(part.originalCandidate[candidate]!, cover.gross[candidate]!)
  }
  const occurrences = cover.listUsed().map((occurrence) => part.originalOccurrence[occurrence]!)
  return { value, occurrences, gross }
}

/** Drops the worst third of what does not pay, again and again; returns what the rest saves. */
function dropUnprofitable({ count, cost, floor }: CandidateSet, cover: ShrinkingCover): number {
  const { uses, gross } = cover
  for (let round = 0; ; round++) {
    let value = 0
    const unprofitable: number[] = []
    for (let candidate = 0; candidate < count; candidate++) {
      if (uses[candidate] === 0) continue
      value += gross[candidate]! - cost[candidate]!
      if (gross[candidate]! < cost[candidate]! + floor[candidate]!) unprofitable.push(candidate)
    }
    if (unprofitable.length === 0) return value
    unprofitable.sort((a, b) => gross[a]! - cost[a]! - (gross[b]! - cost[b]!))
    const dropped = round >= MAX_ROUNDS ? unprofitable.length : Math.ceil(unprofitable.length / 3)
    cover.drop(unprofitable.slice(0, dropped))
  }
}

export function markCandidates(set: CandidateSet, candidates: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(set.count)
  for (const candidate of candidates) marks[candidate] = 1
  return marks
}

/** The best cover of a text; only segments that used a dropped candidate are covered again. */
export class ShrinkingCover {
  /** Used occurrences of each candidate, and what they save with adjacency gains. */
  readonly uses: Int32Array
  readonly gross: Float64Array
  private readonly set: CandidateSet
  readonly workspace: CoverWorkspace
  /** What each occurrence saves; -Infinity if its candidate was dropped. */
  private readonly weights: Float32Array
  private readonly usedByEnd: Int32Array
  /** First boundary of each segment; the last value is the last boundary of the text. */
  private readonly borders: Int32Array
  /** Segment that contains the text before each boundary. */
  private readonly segmentOf: Int32Array
  private readonly stale = new Set<number>()

  constructor(set: CandidateSet) {
    this.set = set
    this.uses = new Int32Array(set.count)
    this.gross = new Float64Array(set.count)
    this.workspace = createCoverWorkspace(set.units)
    this.weights = new Float32Array(set.occurrenceSaved)
    this.usedByEnd = new Int32Array(set.units + 1).fill(-1)
    this.borders = findBorders(set)
    this.segmentOf = new Int32Array(set.units + 1)
    for (let segment = 0; segment + 1 < this.borders.length; segment++)
      this.segmentOf.fill(segment, this.borders[segment]! + 1, this.borders[segment + 1]! + 1)
    this.cover(0, set.units)
  }

  drop(candidates: readonly number[]): void {
    const { firstByCandidate, occurrencesByCandidate, occurrenceEnd } = this.set
    for (const candidate of candidates) {
      for (let rank = firstByCandidate[candidate]!; rank < firstByCandidate[candidate + 1]!; rank++) {
        const occurrence = occurrencesByCandidate[rank]!
        const end = occurrenceEnd[occurrence]!
        this.weights[occurrence] = -Infinity
        if (this.usedByEnd[end] === occurrence) this.stale.add(this.segmentOf[end]!)
      }
    }
    for (const segment of this.stale) {
      const from = this.borders[segment]!
      const to = this.borders[segment + 1]!
      this.countUses(from, to, -1)
      this.usedByEnd.fill(-1, from + 1, to + 1)
      this.cover(from, to)
    }
    this.stale.clear()
  }

  listUsed(): Int32Array {
    return this.usedByEnd.filter((occurrence) => occurrence >= 0)
  }

  private cover(from: number, to: number): void {
    const { set, workspace, usedByEnd } = this
    coverText(set, this.weights, workspace, from, to)
    for (let at = 0; at < workspace.usedCount; at++) {
      const occurrence = workspace.used[at]!
      usedByEnd[set.occurrenceEnd[occurrence]!] = occurrence
    }
    this.countUses(from, to, 1)
  }

  /** Adds the used occurrences between two boundaries to the totals, or subtracts them. */
  private countUses(from: number, to: number, sign: 1 | -1): void {
    const { occurrenceStart, occurrenceCandidate, occurrenceSaved, adjacencyGain } = this.set
    let last = -1
    for (let end = from + 1; end <= to; end++) {
      const occurrence = this.usedByEnd[end]!
      if (occurrence < 0) continue
      const candidate = occurrenceCandidate[occurrence]!
      const begin = occurrenceStart[occurrence]!
      const saved = occurrenceSaved[occurrence]! + (begin === last ? adjacencyGain[begin]! : 0)
      this.uses[candidate]! += sign
      this.gross[candidate]! += sign * saved
      last = end
    }
  }
}

/** Finds the boundaries between segments, which no occurrence spans or starts at. */
function findBorders({ units, occurrenceCount, occurrenceStart, occurrenceEnd }: CandidateSet): Int32Array {
  /** The last end of the occurrences that start at each boundary; 0 if none does. */
  const lastEnds = new Int32Array(units + 1)
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++)
    lastEnds[occurrenceStart[occurrence]!] = occurrenceEnd[occurrence]!
  const borders = new IntList()
  borders.push(0)
  for (let boundary = 1, end = lastEnds[0]!; boundary < units; boundary++) {
    if (end <= boundary && lastEnds[boundary] === 0) borders.push(boundary)
    end = Math.max(end, lastEnds[boundary]!)
  }
  borders.push(units)
  return borders.take()
}

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
