// Runs the program of a checkout: this one, or the one in the folder PROGRAM, such as a copy of an older revision.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { changeDatabase } from '../packages/test-kit/test/change-database.ts'
import { startPostgres } from '../packages/test-kit/test/start-postgres.ts'

export const ROOT: string = fileURLToPath(new URL('..', import.meta.url))
/** Root of the checkout that is measured; it must be built. */
export const PROGRAM: string = resolve(process.env['PROGRAM'] ?? ROOT)
const launcher = join(PROGRAM, 'packages/cli/bin/pack.js')

/** What a command wrote and took, with all of its threads. */
export interface Run {
  readonly stdout: string
  readonly seconds: number
  readonly processorSeconds: number
  /** Peak of the resident memory, in megabytes. */
  readonly megabytes: number
}

/** A catalog of one of the two databases. */
export interface Database {
  readonly name: 'SQLite' | 'Postgres'
  readonly data: string
  readonly env: Readonly<Record<string, string>>
  /** Runs SQL behind the back of the program. */
  readonly run: (sql: string) => Promise<void>
  /** Processor time of a database server so far. */
  readonly readProcessorMs: () => Promise<number>
  readonly measureBytes: () => Promise<number>
}

export function createSqlite(data: string): Database {
  const run = async (sql: string): Promise<void> => changeDatabase(join(data, 'catalog.sqlite'), sql)
  const none = (): Promise<number> => Promise.resolve(0)
  return { name: 'SQLite', data, env: {}, run, readProcessorMs: none, measureBytes: () => sizeOf(data) }
}

/** Makes an empty folder, and removes it after the work. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Does the work for an empty catalog in each database, one after the other. */
export async function forEachDatabase<T>(
  folder: string,
  work: (database: Database) => Promise<T>,
): Promise<T[]> {
  const results = [await work(createSqlite(join(folder, 'sqlite')))]
  const server = await startPostgres(true)
  try {
    const url = await server.createDatabase()
    const run = async (sql: string): Promise<void> => void (await server.run(url, sql))
    const [name, data, env] = ['Postgres', join(folder, 'postgres'), { DATABASE_URL: url }] as const
    const measureBytes = async (): Promise<number> =>
      Number((await server.run(url, 'select pg_database_size(current_database()) as size'))[0]!['size'])
    results.push(await work({ name, data, env, run, readProcessorMs: readPostgresMs, measureBytes }))
  } finally {
    await server.stop()
  }
  return results
}

/** Milliseconds of all processes that are named so: proc_pid_stat(5), in hundredths of a second. */
async function readPostgresMs(): Promise<number> {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (stat.includes('(postgres)')) for (const at of [11, 12, 13, 14]) ticks += Number(fields[at])
  }
  return ticks * 10
}

async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sk', folder])
  return Number.parseInt(stdout, 10) * 1024
}

/** Tells on the fourth file what the process took, in microseconds and kilobytes. */
const REPORT = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  require('node:fs').writeSync(3, JSON.stringify([userCPUTime + systemCPUTime, maxRSS]))
})`

/** Environment of a program: that of this process, without what would change which catalog it uses. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { DATABASE_URL: _url, REDIS_URL: _redis, NODE_COMPILE_CACHE: _cache, ...rest } = process.env
  return { ...rest, ...extra }
}

/** Runs `node` with the arguments, those of the program if `isPack`, and measures it. */
export async function runNode(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<Run> {
  return withFolder(async (folder) => {
    const report = join(folder, 'report.cjs')
    const usage = join(folder, 'usage')
    writeFileSync(report, REPORT)
    const begin = performance.now()
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', '"$@" 3>"$0"', usage, process.execPath, '-r', report, ...args],
      { env: cleanEnvironment(options.env), maxBuffer: 2 ** 28, ...(options.cwd && { cwd: options.cwd }) },
    ).catch((error: { stdout: string; stderr: string }) => {
      const [failed = ''] = /\{[^{}]*"(?:severity|status)": "(?:error|failed)"[^{}]*/.exec(error.stdout) ?? []
      throw new Error(
        `${args.slice(1).join(' ')} fails: ${error.stderr || failed || error.stdout.slice(0, 2000)}`,
      )
    })
    const seconds = (performance.now() - begin) / 1000
    const [micros, kilobytes] = JSON.parse(readFileSync(usage, 'utf8')) as [number, number]
    return { stdout, seconds, processorSeconds: micros / 1e6, megabytes: kilobytes / 1024 }
  })
}

/** Runs `pack`. */
export function runPack(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<Run> {
  return runNode([launcher, ...args], options)
}

/** Publishes a folder of sources, and indexes what a program of before indexes in a step of its own. */
export async function publish(sources: string, { data, env }: Database): Promise<Run> {
  return runPack(['publish', sources, '--data', data, '--wait', '--json'], { env })
}

/** `pack serve` in a process of its own. */
export interface Server {
  readonly url: string
  /** Milliseconds from the start of the process until it serves. */
  readonly startMs: number
  readonly readUsage: () => Promise<{ readonly processorSeconds: number; readonly megabytes: number }>
  /** Requests that it has answered, but for those of its metrics. */
  readonly countRequests: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Serves a catalog as in production, behind a proxy on this machine, with logs, metrics and health. */
export async function startServer({ data, env }: Database): Promise<Server> {
  const begin = performance.now()
  const options = ['--data', data, '--port', '0', '--json', '--trust-proxy', '127.0.0.1']
  const child = spawn(process.execPath, [launcher, 'serve', ...options], {
    env: cleanEnvironment({ PACK_SECRET: 'f'.repeat(64), ...env }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.trimEnd().endsWith('}')) break
  }
  const startMs = performance.now() - begin
  const { url } = JSON.parse(text) as { url?: string }
  if (url === undefined) throw new Error(`pack serve does not start: ${text}`)
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  const readMetrics = async (): Promise<string> => {
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    return metrics.text()
  }
  return {
    url,
    startMs,
    async countRequests() {
      const counts = (await readMetrics()).matchAll(
        /^packs_http_requests_total\{route="(?!\/metrics)[^}]*\} (\d+)/gm,
      )
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    },
    async readUsage() {
      const lines = await readMetrics()
      const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(lines)?.[1])
      return {
        processorSeconds: read('process_cpu_seconds_total'),
        megabytes: read('process_resident_memory_bytes') / 2 ** 20,
      }
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Creates a Pro account with a quota that no program here reaches. Returns its claim code and a key. */
export async function createAccount(
  email: string,
  { data, env }: Database,
): Promise<{ readonly code: string; readonly key: string }> {
  const account = ['--email', email, '--tier', 'pro', '--daily', '999999999']
  const created = await runPack(['accounts', 'create', ...account, '--data', data, '--json'], { env })
  const made = await runPack(
    ['keys', 'create', '--account', email, '--name', 'bench', '--data', data, '--json'],
    {
      env,
    },
  )
  const { claim_code: code } = JSON.parse(created.stdout) as { claim_code: string }
  return { code, key: (JSON.parse(made.stdout) as { key: string }).key }
}
