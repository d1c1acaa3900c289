import { constants, hostname } from 'node:os'
import { destination, pino, type Logger } from 'pino'

export interface LogOptions {
  /** Gather lines for up to a second, for what logs thousands of them; none is lost at the end of the program. @default false */
  readonly buffered?: boolean
}

const BUFFER_BYTES = 8 * 1024
const FLUSH_MS = 1000

/** Creates the log of a service: lines of JSON on stderr. */
export function createLog({ buffered = false }: LogOptions = {}): Logger {
  const base = { pid: process.pid, host: hostname() }
  const gather = { minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }
  // Handing a write over to another thread costs more than writing.
  const stream = destination({ dest: 2, sync: true, ...(buffered && gather) })
  if (buffered) process.on('exit', () => stream.flushSync())
  return pino({ base, timestamp: () => `,"time":"${new Date().toISOString()}"` }, stream)
}

const MAX_LINE_LENGTH = 200
const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/**
 * Writes what libraries and Node print into the log, so that all lines of a service are JSON.
 *
 * Of what they print the first line of a text is kept; of errors the kind alone, as theirs hold commands with passwords.
 */
export function redirectConsole(log: Logger): void {
  for (const method of METHODS) {
    console[method] = (first: unknown) => log.warn(describeOutput(first), 'a library printed')
  }
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) =>
    log.warn({ kind: name, text: redactLine(message) }, 'Node warns'),
  )
}

function describeOutput(first: unknown): Record<string, string> {
  if (typeof first === 'string') return { text: redactLine(first) }
  if (!(first instanceof Error)) return {}
  const { code, name } = first as NodeJS.ErrnoException
  return { kind: code ?? name }
}

/** The first line, without user and password of an address. */
function redactLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  return line.replace(/:\/\/[^\s/]*@/g, '://').slice(0, MAX_LINE_LENGTH)
}

/** Waits for SIGINT or SIGTERM, which then no longer end the program at once; a second one does. */
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
