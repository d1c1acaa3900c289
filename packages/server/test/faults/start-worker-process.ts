import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { launcher } from '../../../test-kit/test/run-pack.ts'
import { waitUntil } from './wait-until.ts'

/** A line of the log of a worker. */
export interface LogLine {
  readonly msg: string
  readonly slug?: string
  readonly code?: string
  readonly attempt?: number
  /** `performance.now()` when the line was read. */
  readonly read: number
}

export interface WorkerOptions {
  readonly redisUrl: string
  readonly databaseUrl: string
  readonly concurrency?: number
  /** Seconds. */
  readonly deadline?: number
}

/** A running `pack worker`. */
export interface WorkerProcess {
  readonly lines: readonly LogLine[]
  /** Exit status or signal. */
  readonly ended: Promise<number | string>
  /** Waits for the first line of the log with these fields. */
  waitForLine(fields: Partial<LogLine>): Promise<LogLine>
  /** Returns the ids of its job processes. */
  findChildren(): number[]
  kill(signal: NodeJS.Signals): void
  /** Sends a signal to the worker and its job processes. */
  killAll(signal: NodeJS.Signals): void
}

/** Starts `pack worker`. */
export function startWorkerProcess(options: WorkerOptions): WorkerProcess {
  const { redisUrl, databaseUrl, concurrency = 1, deadline = 25 } = options
  const settings = ['--concurrency', String(concurrency), '--deadline', String(deadline)]
  const worker = spawn(process.execPath, [launcher, 'worker', ...settings], {
    env: { ...process.env, REDIS_URL: redisUrl, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: LogLine[] = []
  createInterface(worker.stderr).on('line', (line) => lines.push(readLine(line)))
  const findChildren = (): number[] => listChildren(worker)
  return {
    lines,
    ended: once(worker, 'exit').then(([status, signal]) => (status ?? signal) as number | string),
    waitForLine: (fields) =>
      waitUntil(`a line of the log with ${JSON.stringify(fields)}`, () =>
        lines.find((line) => Object.entries(fields).every(([name, value]) => line[name as 'msg'] === value)),
      ),
    findChildren,
    kill: (signal) => void worker.kill(signal),
    killAll(signal) {
      for (const child of findChildren()) process.kill(child, signal)
      worker.kill(signal)
    },
  }
}

/** Tells whether a process is running; a zombie is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readStatus(pid))
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return 'State: X'
  }
}

function readLine(line: string): LogLine {
  const read = performance.now()
  try {
    return { ...(JSON.parse(line) as LogLine), read }
  } catch {
    return { msg: line, read }
  }
}

function listChildren({ pid, exitCode, signalCode }: ChildProcess): number[] {
  if (pid === undefined || exitCode !== null || signalCode !== null) return []
  const text =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      : spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout
  return text.split(/\s+/).filter(Boolean).map(Number)
}
