import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import { coverText, createCoverWorkspace, freeCoverWorkspace, type CoverWorkspace } from './cover-text.ts'

/**
 * The best cover of a text, kept while candidates are dropped. Segments that share no occurrence and do not touch are
 * covered independently, so only those that used a dropped candidate are covered again.
 */
export class ShrinkingCover {
  /** Number of used occurrences of each candidate, and what they save with their adjacency gains. */
  readonly uses: Int32Array
  readonly gross: Float64Array
  private readonly set: CandidateSet
  private readonly workspace: CoverWorkspace
  /** What each occurrence saves; negative infinity if its candidate was dropped. */
  private readonly weights: Float32Array
  /** The used occurrence that ends at each boundary; -1 if there is none. */
  private readonly usedByEnd: Int32Array
  /** First boundary of each segment, and the last boundary of the text as the last value. */
  private readonly borders: Int32Array
  /** Segment that contains the text before each boundary. */
  private readonly segmentOf: Int32Array
  /** Segments to cover again. */
  private readonly stale = new Set<number>()

  constructor(set: CandidateSet) {
    this.set = set
    this.uses = new Int32Array(set.count)
    this.gross = new Float64Array(set.count)
    this.workspace = createCoverWorkspace(set.units)
    this.weights = new Float32Array(set.occurrenceSaved)
    this.usedByEnd = new Int32Array(set.units + 1).fill(-1)
    this.borders = findBorders(set)
    this.segmentOf = numberSegments(this.borders, set.units)
    this.cover(0, set.units)
  }

  /** Drops candidates and covers the text again. */
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

  /** Lists the used occurrences, ascending. */
  listUsed(): Int32Array {
    return this.usedByEnd.filter((occurrence) => occurrence >= 0)
  }

  /** Frees the memory; the object must not be used afterwards. */
  free(): void {
    freeCoverWorkspace(this.workspace)
    freeArrays(this.weights, this.usedByEnd, this.segmentOf)
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

  /** Adds the used occurrences between two boundaries to the sums, or subtracts them if `sign` is -1. */
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

/** Finds the boundaries between segments: no occurrence lies across them or starts there. */
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
  freeArrays(lastEnds)
  return borders.take()
}

function numberSegments(borders: Int32Array, units: number): Int32Array {
  const segmentOf = new Int32Array(units + 1)
  for (let segment = 0; segment + 1 < borders.length; segment++)
    segmentOf.fill(segment, borders[segment]! + 1, borders[segment + 1]! + 1)
  return segmentOf
}
