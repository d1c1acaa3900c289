import type { ModelData } from 'highs'
import type { CandidateSet } from '../../packages/codec/src/compress/candidates/candidate-set.ts'
import { buildArcs, SINK, SOURCE, type OccurrenceArc, type TextArc } from './build-arcs.ts'

/** A model to maximise, with all columns between 0 and 1. */
export type UnitModel = Omit<ModelData, 'sense'>

/**
 * The selection of candidates as a unit flow along the text with fixed charges.
 *
 * Columns: `candidates` (1 for an entry), then `arcs` (1 for a replaced occurrence), then `links` (the text
 * between).
 */
export interface SelectionModel {
  readonly data: UnitModel
  readonly candidates: readonly number[]
  readonly arcs: readonly OccurrenceArc[]
  readonly links: readonly TextArc[]
}

export interface ModelOptions {
  /** 0 for occurrences to leave out. */
  readonly kept: Uint8Array
  /** Require each entry to save the net tokens of its floor. */
  readonly floors: boolean
  /** Require integer columns for entries. With floors the arcs are integer too; without them integer entries suffice. */
  readonly whole: boolean
}

/** Builds the integer program for a selection from `set`: flow conservation, no occurrence without its entry, floors. */
export function buildModel(set: CandidateSet, { kept, floors, whole }: ModelOptions): SelectionModel {
  const { arcs, links, nodeCount } = buildArcs(set, kept)
  const candidates = [...new Set(arcs.map(({ occurrence }) => set.occurrenceCandidate[occurrence]!))].sort(
    (a, b) => a - b,
  )
  const columns = new Map(candidates.map((candidate, column) => [candidate, column]))
  const columnOf = ({ occurrence }: OccurrenceArc): number =>
    columns.get(set.occurrenceCandidate[occurrence]!)!
  const first = candidates.length
  const rows = new RowList()

  const flows: Entry[][] = Array.from({ length: nodeCount }, () => [])
  for (const [at, { from, to }] of [...arcs, ...links].entries()) {
    flows[from]!.push([first + at, 1])
    flows[to]!.push([first + at, -1])
  }
  for (const [node, flow] of flows.entries()) {
    const supply = node === SOURCE ? 1 : node === SINK ? -1 : 0
    rows.add(flow, supply, supply)
  }
  const arcsOf: number[][] = candidates.map(() => [])
  for (const [at, arc] of arcs.entries()) arcsOf[columnOf(arc)]!.push(at)
  for (const [column, list] of arcsOf.entries()) {
    for (const clique of listCliques(set, arcs, list))
      rows.add([...clique.map((at): Entry => [first + at, 1]), [column, -1]], -Infinity, 0)
  }
  if (floors) {
    for (const [column, candidate] of candidates.entries()) {
      const gains = arcsOf[column]!.map((at): Entry => [first + at, arcs[at]!.gain])
      rows.add([...gains, [column, -set.cost[candidate]! - set.floor[candidate]!]], 0, Infinity)
    }
  }

  const numCols = first + arcs.length + links.length
  const colCost = new Float64Array(numCols)
  for (const [column, candidate] of candidates.entries()) colCost[column] = -set.cost[candidate]!
  for (const [at, { gain }] of arcs.entries()) colCost[first + at] = gain
  const integrality = new Int32Array(numCols).fill(1, 0, floors ? first + arcs.length : first)
  const data = {
    numCols,
    colCost,
    colLower: new Float64Array(numCols),
    colUpper: new Float64Array(numCols).fill(1),
    ...rows.finish(numCols),
    ...(whole ? { integrality } : {}),
  }
  return { candidates, arcs, links, data }
}

/** Groups the arcs in `list`, all of one candidate, by shared units: a cover contains at most one of each group. */
function listCliques(set: CandidateSet, arcs: readonly OccurrenceArc[], list: readonly number[]): number[][] {
  const begins = list.map((at) => set.occurrenceStart[arcs[at]!.occurrence]!)
  const ends = list.map((at) => set.occurrenceEnd[arcs[at]!.occurrence]!)
  const cliques: number[][] = []
  for (let from = 0, to = 1; to <= list.length; to++) {
    if (to < list.length && begins[to]! < ends[from]!) continue
    cliques.push(list.slice(from, to))
    while (to < list.length && begins[to]! >= ends[from]!) from++
  }
  return cliques
}

/** A column and its coefficient in a row. */
type Entry = readonly [number, number]

class RowList {
  readonly #lower: number[] = []
  readonly #upper: number[] = []
  readonly #starts: number[] = [0]
  readonly #indices: number[] = []
  readonly #values: number[] = []

  add(entries: readonly Entry[], lower: number, upper: number): void {
    for (const [index, value] of entries) {
      this.#indices.push(index)
      this.#values.push(value)
    }
    this.#starts.push(this.#indices.length)
    this.#lower.push(lower)
    this.#upper.push(upper)
  }

  finish(numCols: number): Pick<UnitModel, 'numRows' | 'rowLower' | 'rowUpper' | 'matrix'> {
    const numRows = this.#lower.length
    return {
      numRows,
      rowLower: this.#lower,
      rowUpper: this.#upper,
      matrix: {
        format: 'csr',
        numRows,
        numCols,
        starts: this.#starts,
        indices: this.#indices,
        values: this.#values,
      },
    }
  }
}
