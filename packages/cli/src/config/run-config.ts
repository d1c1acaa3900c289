import { BuildTimeoutError, createTaskThread, ThreadEndedError } from '@packs/codec/task-thread'
import { locateModule } from '../package-files.ts'
import { configFailedError, invalidConfigError, type ConfigIssue } from './config-errors.ts'
import type { PacksConfig } from './packs-config.ts'

export type ConfigMessage =
  | { readonly config: PacksConfig }
  | { readonly issues: readonly ConfigIssue[] }
  | { readonly failure: ConfigFailure }

/** Why the code of a configuration has no value. */
export interface ConfigFailure {
  readonly message: string
  readonly hint: string
  readonly line?: number
  readonly column?: number
}

/** Longest time to run a configuration. */
const SECONDS = 10

const WORKER = locateModule('config/config-worker')

/**
 * Runs a configuration in TypeScript or JavaScript in a thread, so that one that does not end can be ended.
 *
 * What it prints goes to stderr, because stdout is for the result of the command.
 *
 * @throws CliError `config_failed` if it fails, ends without a value or takes too long, `invalid_config` if a value is not valid
 */
export async function runConfig(
  path: string,
  shown: string,
  seconds: number = SECONDS,
): Promise<PacksConfig> {
  const answer = await askWorker(path, seconds)
  if ('config' in answer) return answer.config
  if ('issues' in answer) throw invalidConfigError(shown, answer.issues, () => undefined)
  const { message, hint, ...place } = answer.failure
  throw configFailedError(shown, message, hint, place)
}

async function askWorker(path: string, seconds: number): Promise<ConfigMessage> {
  const thread = createTaskThread(WORKER, seconds, { printsToStderr: true })
  try {
    return await thread.run<ConfigMessage>(path, path)
  } catch (error) {
    return { failure: describeEnd(error, seconds) }
  } finally {
    await thread.terminate()
  }
}

function describeEnd(error: unknown, seconds: number): ConfigFailure {
  if (error instanceof BuildTimeoutError)
    return { message: `it did not end within ${seconds} seconds`, hint: 'remove what it waits for' }
  const cause = (error instanceof ThreadEndedError ? error.cause : error) as Error | undefined
  if (cause !== undefined) return { message: `it failed: ${String(cause)}`, hint: 'correct it' }
  const hint = 'remove process.exit and any await that never ends'
  return { message: 'it ended before it exported a value', hint }
}
