import type { EvalScheme } from '@packs/eval'
import {
  decideSchemes,
  type GradedPair,
  type SchemePairs,
} from '../../packages/eval/src/statistics/compare-pairs.ts'
import { Random } from '../random.ts'

/** Of the verdicts, in percentage points. */
export const MARGIN = 5

/**
 * How questions belong to documents:
 *
 * - `alike`: every document loses and gains alike
 * - `uneven`: a quarter of the documents has all discordant pairs; the true difference is that of these documents
 * - a number: documents are drawn, and their shares of discordant pairs with them (Dirichlet), so that differences within a document
 *   correlate by it; the true difference is that of all documents that could be drawn
 */
export interface Setting {
  readonly documents: number
  readonly kind: 'alike' | 'uneven' | number
  /** Documents have one to many questions instead of equal numbers. */
  readonly unlikeSizes?: boolean
}

export interface Cell {
  readonly setting: Setting
  readonly questions: number
  /** Share of discordant pairs, from 0 to 1, and true difference. */
  readonly discordant: number
  readonly difference: number
}

/** Shares of the runs, from 0 to 1. */
export interface CellFigures extends Cell {
  readonly as_good: number
  readonly worse: number
  /** The interval has the true difference. */
  readonly covered: number
  /** The interval has the true difference of the documents drawn. */
  readonly covered_own: number
}

export interface EvalFigures {
  readonly seed: number
  /** Simulated evaluations for each cell. */
  readonly runs: number
  readonly cells: readonly CellFigures[]
  /** Several schemes, and how often one that loses the margin is `as good`. */
  readonly orders: readonly { readonly name: string; readonly wrong: number }[]
}

/** Most shares of wrong verdicts, and least share of intervals that have the true difference. */
export const GOALS = { wrong: 0.035, covered: 0.94 } as const

/** Runs evaluations of one scheme, with verdicts as `pack eval` gives them. */
export function simulate(cell: Cell, runs: number, seed: number): CellFigures {
  const random = new Random(seed)
  const draw = createDraw(cell, random)
  const counts = { as_good: 0, worse: 0, covered: 0, covered_own: 0 }
  for (let run = 0; run < runs; run++) {
    const { pairs, own } = draw()
    const [{ verdict, figures }] = decideSchemes([{ scheme: 'dense-2', pairs }], MARGIN) as [
      ReturnType<typeof decideSchemes>[0],
    ]
    const [low, high] = figures!.interval
    const has = (difference: number): number => Number(low <= difference && difference <= high)
    counts.as_good += Number(verdict === 'as good')
    counts.worse += Number(verdict === 'worse')
    counts.covered += has(cell.difference)
    counts.covered_own += has(own)
  }
  const shares = Object.entries(counts).map(([name, count]) => [name, count / runs])
  return { ...cell, ...(Object.fromEntries(shares) as typeof counts) }
}

/** Returns the share of runs of several schemes in which one with a difference of -margin is `as good`. */
export function simulateOrder(
  cells: readonly (readonly [EvalScheme, Cell])[],
  runs: number,
  seed: number,
): number {
  const random = new Random(seed)
  const draws = cells.map(([scheme, cell]) => ({ scheme, cell, draw: createDraw(cell, random) }))
  let wrong = 0
  for (let run = 0; run < runs; run++) {
    const schemes = draws.map(({ scheme, draw }): SchemePairs => ({ scheme, pairs: draw().pairs }))
    const outcomes = decideSchemes(schemes, MARGIN)
    const isWrong = outcomes.some(
      ({ verdict }, at) => verdict === 'as good' && draws[at]!.cell.difference <= -MARGIN / 100,
    )
    wrong += Number(isWrong)
  }
  return wrong / runs
}

function createDraw(cell: Cell, random: Random): () => { pairs: readonly GradedPair[]; own: number } {
  const { setting, questions, discordant, difference } = cell
  const [onlyArm, onlySource] = [(discordant + difference) / 2, (discordant - difference) / 2]
  const documentOf = Array.from({ length: questions }, (_, at) => chooseDocument(setting, questions, at))
  const inQuarter = documentOf.filter((document) => document % 4 === 0).length
  const outcomes = Array.from({ length: setting.documents }, (_, at) => {
    const document = String(at)
    return [
      { document, source: 'right', arm: 'right' },
      { document, source: 'wrong', arm: 'right' },
      { document, source: 'right', arm: 'wrong' },
    ] satisfies GradedPair[]
  })
  const shareOf = (document: number): readonly [number, number] => {
    if (setting.kind === 'alike') return [onlyArm, onlySource]
    if (setting.kind === 'uneven') {
      const factor = document % 4 === 0 ? questions / inQuarter : 0
      return [onlyArm * factor, onlySource * factor]
    }
    const total = (1 - setting.kind) / setting.kind
    const [arm, source, rest] = [onlyArm, onlySource, 1 - discordant].map((share) =>
      drawGamma(random, total * share),
    ) as [number, number, number]
    return [arm / (arm + source + rest), source / (arm + source + rest)]
  }
  return () => {
    const shares = outcomes.map((_, document) => shareOf(document))
    let own = 0
    const pairs = documentOf.map((document) => {
      const [arm, source] = shares[document]!
      own += arm - source
      const value = random.next()
      return outcomes[document]![value < arm ? 1 : value < arm + source ? 2 : 0]!
    })
    return { pairs, own: own / questions }
  }
}

/** Deals questions to documents; to documents of unlike sizes one each, and the rest the more the later they come. */
function chooseDocument({ documents, unlikeSizes }: Setting, questions: number, at: number): number {
  if (!unlikeSizes || at < documents) return at % documents
  return Math.floor(documents * Math.sqrt((at - documents + 0.5) / (questions - documents)))
}

/** Draws from a gamma distribution of scale 1: Marsaglia & Tsang (2000), ACM Trans Math Softw 26:363-372. */
function drawGamma(random: Random, shape: number): number {
  if (shape === 0) return 0
  if (shape < 1) return drawGamma(random, shape + 1) * (1 - random.next()) ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    const cubed = (1 + normal / Math.sqrt(9 * d)) ** 3
    if (cubed <= 0) continue
    if (Math.log(1 - random.next()) < (normal * normal) / 2 + d * (1 - cubed + Math.log(cubed)))
      return d * cubed
  }
}
