// `pnpm bench:start [--runs N]`: what it takes to start each command for authors, with empty caches and with what earlier runs stored,
// and to start a server. `PROGRAM=FOLDER` measures the built program of another checkout. Saved as bench/results/start.json.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadCorpus } from './documents.ts'
import { growText } from './grow-text.ts'
import { createProgress, describeMachine, medianOf, round, type Machine } from './measure.ts'
import { createSqlite, publish, ROOT, runNode, runPack, startServer, withFolder } from './program.ts'
import { saveResults } from './results.ts'

const SOURCE_BYTES = 5_000
/** Runs of each command with empty caches. */
const FIRST_RUNS = 3
const FRONT_MATTER = '---\ntitle: A title\ndomain: Benchmarks\ntags: [start, time]\n---\n'

/** Commands in the order of the table. The first one is the yardstick. The packs exist when they run. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': [],
  'pack --version': ['--version'],
  'pack build, 5 KB': ['build', 'plain.md', '-o', 'out', '--no-cache'],
  'pack build, 5 KB with front matter': ['build', 'fields.md', '-o', 'out', '--no-cache'],
  'pack build, 5 KB, dense-2': ['build', 'plain.md', '-o', 'dense', '--no-cache', '--scheme', 'dense-2'],
  'pack build, unchanged': ['build', 'plain.md', '-o', 'out'],
  'pack decode': ['decode', 'out/plain.pack.json'],
  'pack check': ['check', 'out/plain.pack.json'],
  'pack prompt': ['prompt', 'out/plain.pack.json', 'out/fields.pack.json'],
  'pack inspect': ['inspect', 'out/plain.pack.json'],
}

export interface StartRow {
  readonly command: string
  /** Processor time in milliseconds, medians. */
  readonly firstMs: number
  readonly laterMs: number
  /** The same as multiples of the yardstick. */
  readonly first: number
  readonly later: number
}

export interface StartResults {
  readonly machine: Machine
  readonly rows: readonly StartRow[]
  /** Of `pack serve` over the example packs, until it serves: milliseconds, and megabytes then. */
  readonly serve?: { readonly startMs: number; readonly megabytes: number }
}

const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '9' } } })
await withFolder(async (folder) => {
  await writeSources(folder)
  const rows = await timeCommands(folder, Number(flags.runs))
  const results = { machine: describeMachine(), rows, serve: await timeServer(folder) }
  await saveResults('start', results satisfies StartResults)
})

async function writeSources(folder: string): Promise<void> {
  const { documents } = await loadCorpus(ROOT)
  const texts = documents.map((document) => document.text)
  // A document may begin with front matter, which a text behind a heading is not.
  const text = `# A title\n\n${growText(texts, SOURCE_BYTES)}`
  await writeFile(join(folder, 'plain.md'), text)
  await writeFile(join(folder, 'fields.md'), FRONT_MATTER + text)
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
    return {
      command,
      firstMs: round(firstMs),
      laterMs: round(laterMs),
      first: round(firstMs / yardstick),
      later: round(laterMs / yardstick),
    }
  })
}

/** Runs the program, or only Node without arguments, and returns its processor time in milliseconds. */
async function run(folder: string, args: readonly string[], caches: string): Promise<number> {
  const cache = join(folder, caches)
  await mkdir(cache, { recursive: true })
  const options = { cwd: folder, env: { XDG_CACHE_HOME: cache } }
  const { processorSeconds } =
    args.length === 0 ? await runNode(['-e', '0'], options) : await runPack(args, options)
  return processorSeconds * 1000
}

async function timeServer(folder: string): Promise<{ startMs: number; megabytes: number }> {
  const database = createSqlite(join(folder, 'data'))
  await publish(join(ROOT, 'examples/packs'), database)
  const starts: number[] = []
  let megabytes = 0
  for (let at = 0; at < FIRST_RUNS; at++) {
    const server = await startServer(database)
    starts.push(server.startMs)
    megabytes = Math.max(megabytes, (await server.readUsage()).megabytes)
    await server.stop()
  }
  return { startMs: Math.round(medianOf(starts)), megabytes: Math.round(megabytes) }
}
