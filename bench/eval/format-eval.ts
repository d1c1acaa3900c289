import { formatTable } from '../markdown-table.ts'
import { type CellFigures, MARGIN, type Setting } from './simulate.ts'

/** What `bench/results/eval.json` has. */
export interface EvalFigures {
  /** Cell number N is simulated with the seed plus N. */
  readonly seed: number
  readonly runs: number
  readonly cells: readonly CellFigures[]
  /** Three schemes in order: how often any that loses the margin is `as good`. */
  readonly orders: readonly { readonly name: string; readonly wrong: number }[]
  readonly least: number
  readonly power: readonly {
    readonly questions: number
    readonly discordant: number
    readonly power: number
  }[]
}

/** Most runs in which a scheme that loses the margin may be `as good`, and fewest in which an interval has the truth. */
export const GOALS = { wrong: 0.035, covered: 0.94 }

/** Writes the figures as a page. */
export function formatEval({ seed, runs, cells, orders, least, power }: EvalFigures): string {
  const settings = [...Map.groupBy(cells, ({ setting }) => nameSetting(setting))]
  const advised = power.find((one) => one.questions === 240 && one.discordant === 0.05)!.power
  const sampled = cells.find(
    (cell) =>
      nameSetting(cell.setting) === '24, alike' &&
      cell.questions === 240 &&
      cell.discordant === 0.05 &&
      cell.difference === 0,
  )!.as_good
  return `# Verdicts of \`pack eval\`

Written by \`pnpm bench:eval\`: ${runs.toLocaleString('en-US')} simulated evaluations for each figure, seed ${seed}, with the functions that give the verdicts, at a margin of ${MARGIN}
points. All figures are per cent. With a true difference of exactly -${MARGIN} points \`as good\` should come in at most ${percent(GOALS.wrong)}, and the interval should have the true
difference in at least ${percent(GOALS.covered)}; a \`*\` marks what misses that. \`worse\` without a difference is wrong too (2.5 by design). Chance moves a figure of 3.5 by 0.2.

## Independent questions

Twelve documents, so that only the score interval is used.

${formatTable(
  ['questions', 'discordant', '`as good` at -5', 'at 0', '`worse` at 0', 'at -5', 'covered at 0', 'at -5'],
  pairCells(settings[0]![1]).map(formatPair),
)}

With 73 questions and 10 % discordant pairs the exact coverage at -5 is 93.8: counts are whole numbers, so that coverage lies now above, now below 95.

## Documents

The worst of all numbers of questions (73 to 480) and shares of discordant pairs (5 to 20 %).

${formatTable(
  ['documents', 'most `as good` at -5', 'most `worse` at 0', 'least covered', 'these documents'],
  settings.map(([name, found]) => formatWorst(name, found)),
)}

- *alike*: all documents lose and gain alike. *uneven*: a quarter of the documents has all discordant pairs; the true difference is that of these documents.
- *drawn*: documents are drawn, and the true difference is that of all documents that could be drawn. Differences within a document correlate by the
  number given: 0.05 or, harsh, 0.2. The last column tells how often the interval has the difference of the documents drawn.
- Fewer than 20 documents: the interval is about these documents, and holds for them. It says nothing about other documents: for that it is far
  too narrow where documents differ.
- From 20 documents on the interval is about documents like these. Where losses are rare and sit in few documents, 24 documents do not show how
  unlike documents are, and \`as good\` comes too often. More documents help; more questions about each do not.

240 questions, documents drawn:

${formatTable(
  ['documents, correlation', 'discordant', '`as good` at -5', 'at 0', '`worse` at 0', 'covered at -5'],
  settings.flatMap(([name, found]) =>
    pairCells(found)
      .filter(([{ setting, questions }]) => typeof setting.kind === 'number' && questions === 240)
      .map((pair) => {
        const [, discordant, wrong, right, worse, , , covered] = formatPair(pair)
        return [name.replace(' drawn,', ''), discordant!, wrong!, right!, worse!, covered!]
      }),
  ),
)}

## Several schemes

Three schemes in their order, 240 questions, 6 % discordant pairs: how often any scheme that loses exactly the margin is \`as good\`.

${formatTable(
  ['schemes', 'wrong'],
  orders.map(({ name, wrong }) => [name, mark(wrong, wrong > GOALS.wrong)]),
)}

## Power

How likely \`as good\` is for a scheme that loses nothing: exact, for independent questions about fewer than 20 documents. With 5 % discordant pairs
and 240 questions it is ${percent(advised)}, which ${advised >= 0.8 ? 'reaches' : 'does not reach'} 80; about 24 documents that lose and gain alike it is ${percent(sampled)} (simulated), and less where they
differ. At least ${least} questions are needed.

${formatPower(power)}
`
}

function formatPower(power: EvalFigures['power']): string {
  const shares = [...new Set(power.map(({ discordant }) => discordant))]
  return formatTable(
    ['questions', ...shares.map((share) => `${100 * share} % discordant`)],
    [...Map.groupBy(power, ({ questions }) => questions)].map(([questions, row]) => [
      String(questions),
      ...row.map((one) => percent(one.power)),
    ]),
  )
}

/** Returns the cells that differ only in the true difference side by side. */
function pairCells(cells: readonly CellFigures[]): (readonly [CellFigures, ...CellFigures[]])[] {
  const groups = Map.groupBy(cells, ({ questions, discordant }) => `${questions} ${discordant}`)
  return [...groups.values()].map(([first, ...others]) => [first!, ...others] as const)
}

/** Formats a line of the cells at no difference and, if it can be, at the margin. */
function formatPair(pair: readonly CellFigures[]): string[] {
  const equal = pair.find(({ difference }) => difference === 0)!
  const below = pair.find(({ difference }) => difference !== 0)
  return [
    String(equal.questions),
    percent(equal.discordant),
    below === undefined ? '–' : mark(below.as_good, below.as_good > GOALS.wrong),
    percent(equal.as_good),
    percent(equal.worse),
    below === undefined ? '–' : percent(below.worse),
    mark(equal.covered, equal.covered < GOALS.covered),
    below === undefined ? '–' : mark(below.covered, below.covered < GOALS.covered),
  ]
}

function formatWorst(name: string, cells: readonly CellFigures[]): string[] {
  const found = cells.filter(({ discordant }) => discordant >= MARGIN / 100)
  const wrong = Math.max(...found.map((cell) => (cell.difference === 0 ? 0 : cell.as_good)))
  const worse = Math.max(...found.map((cell) => (cell.difference === 0 ? cell.worse : 0)))
  const covered = Math.min(...found.map((cell) => cell.covered))
  const own = Math.min(...found.map((cell) => cell.covered_own))
  return [
    name,
    mark(wrong, wrong > GOALS.wrong),
    mark(worse, worse > GOALS.wrong),
    mark(covered, covered < GOALS.covered),
    mark(own, own < GOALS.covered),
  ]
}

function nameSetting({ documents, kind, unlikeSizes }: Setting): string {
  const how = typeof kind === 'number' ? `drawn, ${kind}` : kind
  return `${documents}, ${how}${unlikeSizes ? ', unlike sizes' : ''}`
}

function mark(share: number, isMissed: boolean): string {
  return `${percent(share)}${isMissed ? ' *' : ''}`
}

function percent(share: number): string {
  return (100 * share).toFixed(1)
}
