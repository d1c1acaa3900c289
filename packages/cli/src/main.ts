import { constants } from 'node:os'
import { exitStatus } from './exit-status.ts'
import { reportError } from './output/report-error.ts'
import { outputError } from './output/write-file.ts'
import { runProgram, wantsJson } from './program.ts'

const args = process.argv.slice(2)
handleSignals()
process.on('uncaughtException', (error) => process.exit(reportError(error, wantsJson(args))))
process.exitCode = await runProgram(args)

/**
 * Ends the program quietly on SIGINT, SIGTERM and SIGHUP (128 + the signal's number) and when its reader has gone (130).
 * Where stdout cannot be written to for another reason, that is told on stderr.
 *
 * Files are written in one synchronous step, so there is never a temporary one to remove here.
 */
function handleSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  process.stdout.on('error', exitAfterFailedOutput)
  process.stderr.on('error', () => undefined)
}

function exitAfterFailedOutput(error: NodeJS.ErrnoException): void {
  process.exit(
    error.code === 'EPIPE' ? exitStatus.interrupted : reportError(outputError('stdout', error), false),
  )
}
