// What the tests cost, from vitest's JSON report of a whole run:
//
//   time npx -y pnpm@12 test --reporter=json --outputFile.json=/tmp/tests.json
//   node -C source bench/tests.ts /tmp/tests.json --wall 480 --processor 840
//
// It writes bench/results/tests.json and tests.md. With --before, the run is kept as the one that later runs are compared with.
// The speed of a machine varies from day to day. --slower says how many times as long it takes for the yardstick as it took in the run
// before: the tests of the codec, in the commit of that run (in seconds of tests: see "Packages").
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatTable } from './markdown-table.ts'
import { describeMachine, type BenchResults } from './results.ts'

/** What a test file starts, as its text tells. A file is counted in the first kind that fits. */
const KINDS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a browser', /chromium/i],
  ['an installation with npm', /'npm'|installTarballs/],
  ['Postgres', /startPostgres/],
  ['Redis', /start(?:Own)?Redis|startCluster|openQueueSite|openSite/],
  ['the program', /runPack|startPack|startServer|startScript|runProgram|spawn/],
  ['none of these', /(?:)/],
]
const SLOWEST = 30

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly unknown[]
  }[]
}

interface Cost {
  readonly name: string
  readonly seconds: number
  readonly files: number
  readonly tests: number
}

/** What one run has cost. */
interface Run {
  readonly date: string
  readonly machine: BenchResults['machine']
  /** Seconds of the whole command, with the build. */
  readonly wall: number
  /** Seconds, user and system. */
  readonly processor: number
  /** How many times as long the machine took for the yardstick as in the run before. */
  readonly slower: number
  readonly total: Cost
  readonly slowest: readonly Cost[]
  readonly packages: readonly Cost[]
  readonly kinds: readonly Cost[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    wall: { type: 'string' },
    processor: { type: 'string' },
    root: { type: 'string', default: root },
    slower: { type: 'string', default: '1' },
    before: { type: 'boolean', default: false },
  },
})
const report = JSON.parse(readFileSync(positionals[0]!, 'utf8')) as Report
const run = summarize(report, values.root)
const json = new URL('results/tests.json', import.meta.url)
const before = existsSync(json) ? (JSON.parse(readFileSync(json, 'utf8')) as { before: Run }).before : run
const saved = { before: values.before ? run : before, now: run }
writeFileSync(json, `${JSON.stringify(saved, undefined, 2)}\n`)
writeFileSync(new URL('results/tests.md', import.meta.url), format(saved))

function summarize({ testResults }: Report, folder: string): Run {
  const files = testResults.map(({ name, startTime, endTime, assertionResults }): Cost => ({
    name: relative(folder, name),
    seconds: (endTime - startTime) / 1000,
    files: 1,
    tests: assertionResults.length,
  }))
  const bySeconds = (one: Cost, other: Cost): number => other.seconds - one.seconds
  const group = (name: (file: Cost) => string): Cost[] =>
    [...Map.groupBy(files, name)].map(([title, group]) => sum(title, group)).toSorted(bySeconds)
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    wall: Number(values.wall),
    processor: Number(values.processor),
    slower: Number(values.slower),
    total: sum('all', files),
    slowest: files.toSorted(bySeconds).slice(0, SLOWEST),
    packages: group(({ name }) =>
      name
        .split('/')
        .slice(0, name.startsWith('packages/') ? 2 : 1)
        .join('/'),
    ),
    kinds: group(({ name }) => {
      const path = `${root}/${name}`
      const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
      return KINDS.find(([, pattern]) => pattern.test(text))![0]
    }),
  }
}

function sum(name: string, files: readonly Cost[]): Cost {
  const add = (key: 'seconds' | 'files' | 'tests'): number =>
    files.reduce((total, file) => total + file[key], 0)
  return { name, seconds: Math.round(add('seconds') * 10) / 10, files: add('files'), tests: add('tests') }
}

function format({ before, now }: { readonly before: Run; readonly now: Run }): string {
  const { machine } = now
  const minutes = (seconds: number): string =>
    `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
  const list = (key: 'slowest' | 'packages' | 'kinds'): string => {
    const rows = now[key].map((cost) => {
      const earlier = before[key].find(({ name }) => name === cost.name)?.seconds.toFixed(1) ?? '–'
      return [cost.name, `${cost.files}`, `${cost.tests}`, earlier, cost.seconds.toFixed(1)]
    })
    return formatTable(['', 'files', 'tests', 's before', 's now'], rows)
  }
  const totals = [before, now].map((one, at) => [
    `${at === 0 ? 'before' : 'now'}, ${one.date}`,
    `${one.total.files}`,
    `${one.total.tests}`,
    minutes(one.wall),
    minutes(one.processor),
    one.slower.toFixed(2),
    minutes(one.wall / one.slower),
    minutes(one.processor / one.slower),
  ])
  return `# What the tests cost

Written by \`bench/tests.ts\`, whose first lines say how. Measured on ${machine.cores} cores (${machine.cpu}) with Node ${machine.node}. The times
below the first table are seconds of wall time of a file's tests, without the loading of modules; files run beside each other.

The machine is not equally fast every day: \`yardstick\` is how many times as long it took, on the day of a run, for the tests of the codec as
they were in the run before. The last two columns are the times divided by it.

${formatTable(['`pnpm test`', 'files', 'tests', 'wall time', 'processor time', 'yardstick', 'wall time / yardstick', 'processor time / yardstick'], totals)}

## The slowest files

${list('slowest')}

## Packages

${list('packages')}

## What a file starts

${list('kinds')}
`
}
