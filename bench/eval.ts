// `pnpm bench:eval`: how often the verdicts of `pack eval` are right, by simulation. Saved as bench/results/eval.json.
import {
  type Cell,
  type EvalFigures,
  MARGIN,
  type Setting,
  simulate,
  simulateOrder,
} from './eval/simulate.ts'
import { createProgress } from './measure.ts'
import { saveResults } from './results.ts'

const SEED = 20_261_128
const RUNS = 10_000
const QUESTIONS = [73, 120, 240, 480]
const DISCORDANT = [0.02, 0.05, 0.06, 0.1, 0.2]
/** The first is that of the table of independent questions. */
const SETTINGS: readonly Setting[] = [
  { documents: 12, kind: 'alike' },
  { documents: 12, kind: 'uneven' },
  { documents: 12, kind: 0.05 },
  { documents: 12, kind: 0.2 },
  { documents: 24, kind: 'alike' },
  { documents: 24, kind: 'uneven' },
  { documents: 24, kind: 0.05 },
  { documents: 24, kind: 0.05, unlikeSizes: true },
  { documents: 24, kind: 0.2 },
  { documents: 100, kind: 0.2 },
]
const ORDERS = [
  { name: 'all three lose the margin', differences: [-0.05, -0.05, -0.05] },
  { name: 'the first loses nothing', differences: [0, -0.05, -0.05] },
  { name: 'the first two lose nothing', differences: [0, 0, -0.05] },
]

const cells = SETTINGS.flatMap((setting) =>
  QUESTIONS.flatMap((questions) =>
    DISCORDANT.flatMap((discordant) =>
      [0, -MARGIN / 100]
        // A difference needs as many discordant pairs.
        .filter((difference) => discordant >= -difference)
        .map((difference): Cell => ({ setting, questions, discordant, difference })),
    ),
  ),
)
const advance = createProgress('Cells', cells.length)
const figures: EvalFigures = {
  seed: SEED,
  runs: RUNS,
  cells: cells.map((cell, at) => {
    const found = simulate(cell, RUNS, SEED + at)
    advance()
    return found
  }),
  orders: ORDERS.map(({ name, differences }, at) => {
    const schemes = (['minify-1', 'dense-2', 'max-2'] as const).map((scheme, index) => {
      const difference = differences[index]!
      return [scheme, { setting: SETTINGS[0]!, questions: 240, discordant: 0.06, difference }] as const
    })
    return { name, wrong: simulateOrder(schemes, RUNS, SEED + cells.length + at) }
  }),
}
await saveResults('eval', figures)
