import type { Highs, ModelData } from 'highs'
import type { CandidateSet } from '../../packages/codec/src/compress/candidates/candidate-set.ts'
import { SINK, SOURCE } from './build-arcs.ts'
import { buildModel, type SelectionModel } from './build-model.ts'
import { solveModel } from './solve-model.ts'

/** What is known about the best selection of a set's candidates, in tokens: `reached` ≤ optimum ≤ `bound`. */
export interface Optimum {
  /** Value of the best known selection, at least the given one. */
  readonly reached: number
  /** Equal to `reached` if that is the optimum; `Infinity` if nothing is known. */
  readonly bound: number
  /** Optimum of the linear relaxation; `undefined` if it was not found in time. */
  readonly relaxed: number | undefined
  /** Occurrences of a selection with the value `reached`, ascending; `undefined` if that is the given selection. */
  readonly occurrences: readonly number[] | undefined
}

export interface OptimumOptions {
  /** Value of a known selection, which keeps the floors if `floors` is set. */
  readonly least: number
  /** Require each entry to save the net tokens of its floor. */
  readonly floors: boolean
  readonly seconds: number
}

/** Columns with reduced costs up to this are tried first. */
const FIRST_RADIUS = 2
const TOLERANCE = 1e-6

/**
 * Finds the value of the best selection of candidates with HiGHS.
 *
 * Solves the linear relaxation first, then fixes variables by reduced costs: a selection that uses a column with a
 * reduced cost above r is worth at most the relaxation less r. So the optimum over the columns up to r is the
 * optimum over all, once the relaxation less r is below the next integer. Values are integers, so a gap below one
 * is none.
 */
export function findOptimum(highs: Highs, set: CandidateSet, options: OptimumOptions): Optimum {
  const { floors, least, seconds } = options
  const deadline = performance.now() + seconds * 1000
  const solve = (model: SelectionModel): ReturnType<typeof solveModel> =>
    solveModel(highs, model.data, Math.max(0, (deadline - performance.now()) / 1000))

  const kept = new Uint8Array(set.occurrenceCount).fill(1)
  const relaxation = buildModel(set, { kept, floors, whole: false })
  const { isOptimal, value, rowPrices } = solve(relaxation)
  if (!isOptimal) return { reached: least, bound: Infinity, relaxed: undefined, occurrences: undefined }
  const relaxed = value
  const { bound, penalties } = proveBound(relaxation.data, rowPrices)
  if (isBelowNext(bound, least)) return { reached: least, bound: least, relaxed, occurrences: undefined }

  let reached = least
  let occurrences: readonly number[] | undefined
  for (let radius = Math.min(FIRST_RADIUS, bound - least - 1); ; radius = bound - reached - 1) {
    const core = buildModel(set, { kept: keepNear(set, relaxation, penalties, radius), floors, whole: true })
    const solved = solve(core)
    if (solved.value > reached + 0.5) {
      reached = Math.round(solved.value)
      occurrences = listUsed(core, solved.columns)
    }
    const outside = bound - radius - TOLERANCE
    if (!solved.isOptimal) {
      return {
        reached,
        bound: Math.min(bound, Math.max(outside, solved.bound, reached)),
        relaxed,
        occurrences,
      }
    }
    if (isBelowNext(outside, reached)) return { reached, bound: reached, relaxed, occurrences }
  }
}

/** Whether there is no integer above `reached` up to `bound`. */
function isBelowNext(bound: number, reached: number): boolean {
  return bound < reached + 1 - TOLERANCE / 2
}

/** Marks the occurrences that a selection can use if it is worth at least the relaxation less `radius`. */
function keepNear(
  set: CandidateSet,
  { candidates, arcs }: SelectionModel,
  penalties: Float64Array,
  radius: number,
): Uint8Array {
  const ofCandidate = new Map(candidates.map((candidate, column) => [candidate, penalties[column]!]))
  const kept = new Uint8Array(set.occurrenceCount)
  for (const [at, { occurrence }] of arcs.entries()) {
    const penalty =
      penalties[candidates.length + at]! + ofCandidate.get(set.occurrenceCandidate[occurrence]!)!
    if (penalty <= radius + TOLERANCE) kept[occurrence] = 1
  }
  return kept
}

/**
 * Lists the occurrences on one path along the text that the solution takes.
 *
 * Arcs are integer only with floors. Without them a solution may split its flow between paths of equal value, each
 * of which is a solution.
 */
function listUsed({ candidates, arcs, links }: SelectionModel, columns: Float64Array): number[] {
  const flow = (at: number): number => columns[candidates.length + at]!
  const ways = [...arcs, ...links]
  const fullest = new Map<number, number>()
  for (const [at, { from }] of ways.entries()) {
    const best = fullest.get(from)
    if (best === undefined || flow(at) > flow(best)) fullest.set(from, at)
  }
  const occurrences: number[] = []
  for (let node = SOURCE; node !== SINK;) {
    const at = fullest.get(node)!
    if (at < arcs.length) occurrences.push(arcs[at]!.occurrence)
    node = ways[at]!.to
  }
  return occurrences
}

/** An upper bound of a model, and for each column the loss of a point in which the column is 1. */
export interface ProvenBound {
  readonly bound: number
  /** By column, at least 0. */
  readonly penalties: Float64Array
}

/**
 * Bounds a model (maximised, columns between 0 and 1, sparse rows) by weak duality, for any row prices.
 *
 * For prices y that fit the senses of the rows, every point satisfies c·x ≤ y·b + Σ max(0, d) − Σ max(0, −d) x,
 * where d = c − yA. So the bound holds even if the solver was stopped or its prices are rounded.
 */
export function proveBound(data: Omit<ModelData, 'sense'>, rowPrices: ArrayLike<number>): ProvenBound {
  const { numRows, numCols, colCost, rowLower, rowUpper, matrix } = data
  const reduced = Float64Array.from(colCost)
  let bound = 0
  for (let row = 0; row < numRows; row++) {
    const price = rowPrices[row]!
    const side = price > 0 ? rowUpper[row]! : rowLower[row]!
    if (price === 0 || !Number.isFinite(side)) continue
    bound += price * side
    for (let at = matrix.starts[row]!; at < matrix.starts[row + 1]!; at++) {
      reduced[matrix.indices[at]!]! -= price * matrix.values[at]!
    }
  }
  const penalties = new Float64Array(numCols)
  for (let column = 0; column < numCols; column++) {
    bound += Math.max(0, reduced[column]!)
    penalties[column] = Math.max(0, -reduced[column]!)
  }
  return { bound, penalties }
}
