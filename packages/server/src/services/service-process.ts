import { readFileSync } from 'node:fs'
import { constants, hostname, setPriority } from 'node:os'
import { destination, levels, pino, type Logger } from 'pino'
import { CommandError } from '../command-error.ts'
import { listUnknownVariables } from './environment.ts'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

/** Of this package, and so of the program. */
export const VERSION: string = (JSON.parse(manifest) as { version: string }).version

const BUFFER_BYTES = 8 * 1024
const FLUSH_MS = 1000

/**
 * Creates a log of the lines that `PACK_LOG_LEVEL` lets pass, and warns of unknown variables.
 * @param isBuffered for up to a second, for programs that log much; flushed on exit
 * @throws CommandError `usage`
 */
export function createLog(isBuffered = false): Logger {
  const base = { pid: process.pid, host: hostname() }
  const buffer = { minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }
  // Passing a write to another thread costs more than writing synchronously.
  const stream = destination({ dest: 2, sync: true, ...(isBuffered && buffer) })
  if (isBuffered) process.on('exit', () => stream.flushSync())
  const level = process.env['PACK_LOG_LEVEL'] || 'info'
  if (level !== 'silent' && !Object.hasOwn(levels.values, level)) {
    const hint = `set it to ${Object.keys(levels.values).join(', ')} or silent`
    throw new CommandError(
      'usage',
      `PACK_LOG_LEVEL ${JSON.stringify(level.slice(0, 40))} is not a level`,
      hint,
    )
  }
  const log = pino({ base, level, timestamp: () => `,"time":"${new Date().toISOString()}"` }, stream)
  for (const unknown of listUnknownVariables()) log.warn(unknown, 'an unknown variable is ignored')
  return log
}

const MAX_LINE_LENGTH = 200
const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/**
 * Redirects the console and Node's warnings to the log, so that all lines on stderr are JSON. It
 * logs the first line of a text, and the code of an error: messages may contain passwords.
 */
export function redirectConsole(log: Logger): void {
  for (const method of METHODS) {
    console[method] = (first: unknown) => log.warn(describeOutput(first), 'console output')
  }
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) =>
    log.warn({ kind: name, text: redactLine(message) }, 'Node.js warning'),
  )
}

function describeOutput(first: unknown): Record<string, string> {
  if (typeof first === 'string') return { text: redactLine(first) }
  return first instanceof Error ? { kind: describeCode(first) } : {}
}

/** Returns the code or name of an error. The message of an unexpected error may contain values. */
export function describeCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Returns the first line, with users and passwords removed from URLs. */
function redactLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  return line.replace(/:\/\/[^\s/]*@/g, '://').slice(0, MAX_LINE_LENGTH)
}

/** Lowers the priority of this process. SIGINT and SIGTERM abort the signal. */
export function startLongWork(): AbortSignal {
  setPriority(NICENESS)
  const stop = new AbortController()
  void waitForSignal().then(() => stop.abort())
  return stop.signal
}

const NICENESS = 10

/** Waits for SIGINT or SIGTERM instead of ending the program. A second signal ends it at once. */
export async function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal)
      process.once(signal, () => {
        for (const next of ['SIGINT', 'SIGTERM'] as const) {
          process.removeAllListeners(next)
          process.once(next, () => process.exit(128 + constants.signals[next]))
        }
        resolve(signal)
      })
    }
  })
}

/** Processes that publish get neither the URL of Redis nor other secrets as variables. */
const NEEDED = /^(?:PATH|HOME|TZ|LANG|LC_[A-Z]+|TMPDIR|TEMP|TMP|SystemRoot|NODE_EXTRA_CA_CERTS|PG[A-Z]+)$/

export function readJobEnvironment(): Readonly<Record<string, string>> {
  const needed = Object.entries(process.env).filter(([name]) => NEEDED.test(name))
  return Object.fromEntries(needed.map(([name, value]) => [name, value ?? '']))
}
