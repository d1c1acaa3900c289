import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Longest start of a database or queue: less than a hook of vitest may take, so that its error is the one shown. */
const START_MS = 45_000

const MAX_LOG_LENGTH = 4000

export interface ProgramOptions extends Pick<SpawnOptions, 'uid' | 'gid' | 'env'> {
  /** Output that tells that the program is ready. Without it, the program must exit with status 0. */
  readonly ready?: RegExp
  /** Ends the start. */
  readonly signal: AbortSignal
}

/** Returns a signal that ends the start of a server that hangs, at once if one has hung before in this run of vitest. */
export function limitStart(): AbortSignal {
  const file = findMarker()
  if (file === undefined || !existsSync(file)) return AbortSignal.timeout(START_MS)
  return AbortSignal.abort(new Error('an earlier server of this test run was not ready in time'))
}

/** Returns the file that tells the processes of a test run that a server has hung. */
function findMarker(): string | undefined {
  // Set by scripts/open-test-run.ts.
  const { PACKS_TEST_RUN: folder } = process.env
  return folder === undefined ? undefined : join(folder, 'server-hung')
}

/**
 * Starts a program and waits until it is ready. It is killed if that fails, and when this process exits.
 *
 * @throws Error with the output of the program, if it cannot be run, exits early or is not ready before the signal
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  { ready, signal, ...options }: ProgramOptions,
): Promise<ChildProcess> {
  if (signal.aborted) throw startError(command, explainAbort(signal))
  const program = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const { promise: isReady, resolve, reject } = Promise.withResolvers<void>()
  const abort = (): void => reject(explainAbort(signal))
  let log = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-MAX_LOG_LENGTH)
      if (ready?.test(log)) resolve()
    })
  }
  program.on('error', reject)
  program.on('close', (code, killer) => {
    if (ready === undefined && code === 0) resolve()
    else reject(new Error(`it ended with ${killer ?? `status ${code}`}`))
  })
  signal.addEventListener('abort', abort)
  killOnExit(program)
  try {
    await isReady
    return program
  } catch (error) {
    program.kill('SIGKILL')
    throw startError(command, error as Error, log)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function startError(command: string, cause: Error, log = ''): Error {
  return new Error(`${command} does not start: ${cause.message}\n${log}`, { cause })
}

function explainAbort(signal: AbortSignal): Error {
  const reason = signal.reason as Error
  if (reason.name === 'Error') return reason
  const file = findMarker()
  if (file !== undefined && reason.name === 'TimeoutError') writeFileSync(file, '')
  return new Error('it was not ready in time')
}

/** Sends a signal to a program and waits until it has ended. */
export async function stopProgram(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const ended = new Promise((resolve) => program.once('exit', resolve))
  program.kill(signal)
  await ended
}

function killOnExit(program: ChildProcess): void {
  const kill = (): void => void program.kill('SIGKILL')
  process.once('exit', kill)
  program.once('exit', () => process.off('exit', kill))
}
