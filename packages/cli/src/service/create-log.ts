import { hostname } from 'node:os'
import { destination, pino, type Logger } from 'pino'

/** Creates the log of a service: lines of JSON on stderr, each written at once. */
export function createLog(): Logger {
  const base = { pid: process.pid, host: hostname() }
  return pino(
    { base, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    destination({ dest: 2, sync: true }),
  )
}
