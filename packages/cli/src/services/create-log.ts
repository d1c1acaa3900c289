import { hostname } from 'node:os'
import { destination, pino, type Logger } from 'pino'

export interface LogOptions {
  /** Gather lines for up to a second, for what logs thousands of them; none is lost at the end of the program. @default false */
  readonly buffered?: boolean
}

const GATHERED_BYTES = 8 * 1024
const LONGEST_MS = 1000

/** Creates the log of a service: lines of JSON on stderr. */
export function createLog({ buffered = false }: LogOptions = {}): Logger {
  const base = { pid: process.pid, host: hostname() }
  const gather = { minLength: GATHERED_BYTES, periodicFlush: LONGEST_MS }
  // Handing a write over to another thread costs more than writing.
  const stream = destination({ dest: 2, sync: true, ...(buffered && gather) })
  if (buffered) process.on('exit', () => stream.flushSync())
  return pino({ base, timestamp: () => `,"time":"${new Date().toISOString()}"` }, stream)
}
