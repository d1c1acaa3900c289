import { constants } from 'node:os'
import { exitStatus } from './exit-status.ts'

/**
 * Ends the program quietly on SIGINT, SIGTERM and SIGHUP (128 + the signal's number) and when its reader has gone (130).
 *
 * Files are written in one synchronous step, so there is never a temporary one to remove here.
 */
export function handleInterrupts(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  process.stdout.on('error', endAfterBrokenPipe)
  process.stderr.on('error', () => undefined)
}

function endAfterBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitStatus.interrupted)
}
