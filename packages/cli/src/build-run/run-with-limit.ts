import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { BuildTimeoutError } from '@packs/codec/task-thread'
import { exitStatus } from '../exit-status.ts'

/** Where the script finds its task. */
const TASK = Symbol.for('packs.task')
const script = new Script("globalThis[Symbol.for('packs.task')]()")

/**
 * Runs a synchronous task in this thread, and ends it when it takes too long, even in an endless loop. SIGINT ends the program.
 * What a task leaves that was ended may be unsound, so no other one should use the same modules.
 *
 * V8's last compiler is off meanwhile: in a task of less than a second it takes more time than its code saves.
 *
 * A script of `node:vm` is the only JavaScript that can be ended without a thread of its own.
 *
 * @param source name of the source in the error
 * @param seconds longest time of the task
 * @throws BuildTimeoutError
 */
export function runWithLimit<Result>(task: () => Result, source: string, seconds: number): Result {
  const holder = globalThis as { [TASK]?: () => Result }
  holder[TASK] = task
  setFlagsFromString('--no-opt')
  try {
    return script.runInThisContext({ timeout: Math.ceil(seconds * 1000), breakOnSigint: true }) as Result
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') process.exit(exitStatus.interrupted)
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new BuildTimeoutError(source, seconds)
    throw error
  } finally {
    setFlagsFromString('--opt')
    delete holder[TASK]
  }
}
