// `pnpm bench:start`: what it takes to start each command for authors, once with empty caches and then with what earlier runs
// stored. It runs the built program. A full run is saved in bench/results.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { loadCorpus } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { medianOf } from './median.ts'
import { createProgress } from './progress.ts'
import { describeMachine } from './results.ts'
import { growText } from './scale/grow-text.ts'

const HELP = `pnpm bench:start [--runs N] [--json]

  --runs N   runs of each command with filled caches (9)
  --json     the rows as JSON on stdout instead of a table

A run with at least 9 runs is saved as bench/results/start-up.json and start-up.md.
`

const SOURCE_BYTES = 5_000
/** Runs of each command with empty caches. */
const FIRST_RUNS = 3
const SAVED_RUNS = 9
const FRONT_MATTER = '---\ntitle: A title\ndomain: Benchmarks\ntags: [start, time]\n---\n'

/** Commands in the order of the table. The first one is the yardstick. The packs exist when they run. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': [],
  'pack --version': ['--version'],
  'pack build, 5 KB': ['build', 'plain.md', '-o', 'out', '--no-cache'],
  'pack build, 5 KB with front matter': ['build', 'fields.md', '-o', 'out', '--no-cache'],
  'pack build, 5 KB, dense-1': ['build', 'plain.md', '-o', 'dense', '--no-cache', '--scheme', 'dense-1'],
  'pack build, unchanged': ['build', 'plain.md', '-o', 'out'],
  'pack decode': ['decode', 'out/plain.pack.json'],
  'pack check': ['check', 'out/plain.pack.json'],
  'pack prompt': ['prompt', 'out/plain.pack.json', 'out/fields.pack.json'],
  'pack inspect': ['inspect', 'out/plain.pack.json'],
  'pack lint': ['lint', 'plain.md'],
}

/** Writes the processor time of all threads of a process, in microseconds, to its fourth file. */
const REPORT_CPU = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String(user + system))
})`

interface StartRow {
  readonly command: string
  /** Processor time in milliseconds, medians. */
  readonly firstMs: number
  readonly laterMs: number
  /** The same as multiples of the yardstick. */
  readonly first: number
  readonly later: number
}

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: String(SAVED_RUNS) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
if (flags.help) process.stdout.write(HELP)
else await main(Number(flags.runs))

async function main(runs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'packs-start-'))
  try {
    await writeSources(folder)
    const rows = await timeCommands(folder, runs)
    const json = `${JSON.stringify({ machine: describeMachine(), rows }, null, 2)}\n`
    const markdown = formatRows(rows)
    process.stdout.write(flags.json ? json : markdown)
    if (runs < SAVED_RUNS) return
    await writeFile(join(root, 'bench/results/start-up.json'), json)
    await writeFile(join(root, 'bench/results/start-up.md'), markdown)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeSources(folder: string): Promise<void> {
  const { documents } = await loadCorpus(root)
  const texts = documents.map((document) => document.text)
  // A document may begin with front matter, which a text behind a heading is not.
  const text = `# A title\n\n${growText(texts, SOURCE_BYTES)}`
  await writeFile(join(folder, 'plain.md'), text)
  await writeFile(join(folder, 'fields.md'), FRONT_MATTER + text)
  await writeFile(join(folder, 'report-cpu.cjs'), REPORT_CPU)
  for (const name of ['plain.md', 'fields.md']) await run(folder, ['build', name, '-o', 'out'], 'caches')
}

/** Runs the commands in turns, so that a change of the machine's load touches all of them. */
async function timeCommands(folder: string, runs: number): Promise<StartRow[]> {
  const tick = createProgress('start', FIRST_RUNS + runs)
  const names = Object.keys(COMMANDS)
  const first = new Map(names.map((name) => [name, [] as number[]]))
  const later = new Map(names.map((name) => [name, [] as number[]]))
  for (let at = 0; at < FIRST_RUNS; at++) {
    for (const name of names) {
      const caches = `empty-${at}-${names.indexOf(name)}`
      first.get(name)!.push(await run(folder, COMMANDS[name]!, caches))
      await rm(join(folder, caches), { recursive: true, force: true })
    }
    tick()
  }
  for (const name of names) await run(folder, COMMANDS[name]!, 'caches')
  for (let at = 0; at < runs; at++) {
    for (const name of names) later.get(name)!.push(await run(folder, COMMANDS[name]!, 'caches'))
    tick()
  }
  const yardstick = medianOf(later.get(names[0]!)!)
  return names.map((command) => {
    const [firstMs, laterMs] = [medianOf(first.get(command)!), medianOf(later.get(command)!)]
    return { command, firstMs, laterMs, first: firstMs / yardstick, later: laterMs / yardstick }
  })
}

/** Runs the built program, or only Node without arguments, and returns its processor time in milliseconds. */
async function run(folder: string, args: readonly string[], caches: string): Promise<number> {
  const cache = join(folder, caches)
  await mkdir(cache, { recursive: true })
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env
  const program = args.length === 0 ? ['-e', '0'] : [join(root, 'packages/cli/bin/pack.js'), ...args]
  const report = join(folder, 'report-cpu.cjs')
  const command = `"$0" "$@" 3>&1 >/dev/null 2>/dev/null`
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', command, process.execPath, '-r', report, ...program],
    {
      cwd: folder,
      env: { ...rest, XDG_CACHE_HOME: cache },
    },
  )
  return Number(stdout) / 1000
}

function formatRows(rows: readonly StartRow[]): string {
  const table = formatTable(
    ['command', 'first run (node -e 0 = 1)', 'ms', 'later runs (node -e 0 = 1)', 'ms'],
    rows.map(({ command, first, firstMs, later, laterMs }) => [
      command,
      first.toFixed(1),
      firstMs.toFixed(0),
      later.toFixed(1),
      laterMs.toFixed(0),
    ]),
  )
  return `# Start of the program

Processor time of all threads of a command, as multiples of that of \`node -e 0\` in the same run, medians. The first run has empty
caches: it compiles the modules and builds the vocabulary of the tokenizer. Later runs read both. All builds but the unchanged one
compress the text. Goal: a build of 5 KB takes at most 330 ms from its second run on.

${table}
`
}
