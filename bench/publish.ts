// `pnpm bench:publish [--packs N]`: publishes N (2,000) notes in both databases while another process publishes too, then verifies
// them. `PROGRAM=FOLDER` measures the built program of another checkout. Saved as bench/results/publish.json.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createNoteMaker, writeSources } from './make-sources.ts'
import { describeMachine, round, summarizeTimes, type Machine, type Times } from './measure.ts'
import {
  cleanEnvironment,
  type Database,
  forEachDatabase,
  PROGRAM,
  type Run,
  runPack,
  withFolder,
} from './program.ts'
import { saveResults } from './results.ts'

export interface PublishFigures {
  readonly database: Database['name']
  readonly packs: number
  /** Of `pack publish`, start and end of the program included. */
  readonly seconds: number
  readonly processorMsPerPack: number
  readonly megabytes: number
  /** Processor time of publishing ÷ that of `pack build` for the same sources. */
  readonly ofBuild: number
  /** Bytes of the folder of the catalog a pack; 0 in Postgres. */
  readonly bytesPerPack: number
  /** Milliseconds of a publish by another process, alone and beside the large one. */
  readonly writerAlone: Times
  readonly writerBeside: Times
  /** Of `pack verify --all`, a version. */
  readonly verifyMs: number
  readonly verifyProcessorMs: number
}

export interface PublishResults {
  readonly machine: Machine
  readonly build: { readonly seconds: number; readonly processorMsPerPack: number }
  readonly figures: readonly PublishFigures[]
}

/** Publishes of the other process before the large one begins. */
const ALONE = 50

const { values: flags } = parseArgs({ options: { packs: { type: 'string', default: '2000' } } })
await main(Number(flags.packs))

async function main(packs: number): Promise<void> {
  await withFolder(async (folder) => {
    const sources = join(folder, 'sources')
    writeSources(sources, packs, createNoteMaker())
    const build = await runPack(['build', sources, '-o', join(folder, 'out'), '--no-cache', '--json'])
    const figures = await forEachDatabase(folder, (database) => measure(database, sources, packs, build))
    await saveResults('publish', {
      machine: describeMachine(),
      build: { seconds: round(build.seconds), processorMsPerPack: perPack(build, packs) },
      figures,
    } satisfies PublishResults)
  })
}

async function measure(
  database: Database,
  sources: string,
  packs: number,
  build: Run,
): Promise<PublishFigures> {
  const { data, env } = database
  const command = (...args: string[]): Promise<Run> => runPack([...args, '--data', data, '--json'], { env })
  const writerAlone = await runWriter(database, 'alone', ALONE)
  const ended = new AbortController()
  const beside = runWriter(database, 'beside', Infinity, ended.signal)
  const published = await command('publish', sources)
  ended.abort()
  const writerBeside = await beside
  const verified = await command('verify', '--all', '--quiet')
  const { versions } = JSON.parse(verified.stdout) as { versions: number }
  return {
    database: database.name,
    packs,
    seconds: round(published.seconds),
    processorMsPerPack: perPack(published, packs),
    megabytes: Math.round(published.megabytes),
    ofBuild: round(published.processorSeconds / build.processorSeconds),
    bytesPerPack: Math.round(measureFolder(data) / versions),
    writerAlone: summarizeTimes(writerAlone),
    writerBeside: summarizeTimes(writerBeside),
    verifyMs: round((1000 * verified.seconds) / versions),
    verifyProcessorMs: perPack(verified, versions),
  }
}

/** Publishes one note after the other in a process of its own until the end. Returns the milliseconds of each. */
async function runWriter(
  { data, env }: Database,
  name: string,
  count: number,
  end?: AbortSignal,
): Promise<number[]> {
  const writer = fileURLToPath(new URL('publish-writer.ts', import.meta.url))
  const url = env['DATABASE_URL'] ?? join(data, 'catalog.sqlite')
  const child = spawn(process.execPath, [writer, PROGRAM, url, name, String(count)], {
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  end?.addEventListener('abort', () => child.stdin.end())
  return JSON.parse(await text(child.stdout)) as number[]
}

function measureFolder(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder)
    .filter((name) => name.startsWith('catalog.'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function perPack({ processorSeconds }: Run, packs: number): number {
  return round((1000 * processorSeconds) / packs)
}
