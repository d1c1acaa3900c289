import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { BuildTimeoutError } from '@packs/codec/task-thread'
import { exitStatus } from '../exit-status.ts'
import type { SetResponse } from '../prompt/compose-set.ts'
import { buildSource, type BuildTask, type BuiltSource } from './build-source.ts'

/**
 * Builds one source in this thread, for sources so small that a thread of their own would take longer to start than they take to
 * build. A build that takes too long is ended all the same.
 *
 * @param seconds longest time of the build
 */
export function buildHere(task: BuildTask, seconds: number): Promise<BuiltSource> {
  return buildSource(task, (build) => runWithLimit(build, task.shown, seconds))
}

/**
 * Composes a prompt of pack documents in this thread.
 *
 * @param source name of the prompt in the error
 * @param seconds longest time
 */
export async function composeHere(
  packs: readonly string[],
  source: string,
  seconds: number,
): Promise<SetResponse> {
  const { composeDocuments } = await import('../prompt/compose-set.ts')
  return composeDocuments(packs, (compose) => runWithLimit(compose, source, seconds))
}

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
