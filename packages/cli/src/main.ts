import { constants } from 'node:os'
import { enableCompileCache } from './user-cache/enable-compile-cache.ts'
import { ensureHome } from './user-cache/ensure-home.ts'

ensureHome()
enableCompileCache()
// All that is imported from here on comes from the cache of compiled modules.
const { exitStatus } = await import('./exit-status.ts')
const { reportError } = await import('./output/report-error.ts')
const { outputError } = await import('./output/write-file.ts')
const { runProgram, wantsJson } = await import('./program.ts')

const args = process.argv.slice(2)
handleSignals()
process.on('uncaughtException', (error) => process.exit(reportError(error, wantsJson(args))))
process.exitCode = await runProgram(args)

/**
 * Exits silently on SIGINT, SIGTERM and SIGHUP (with 128 + the signal number) and when the reader of stdout has closed it (130).
 * Any other failure to write to stdout is reported on stderr.
 *
 * Files are written in one synchronous step, so there is never a temporary file to remove here.
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
