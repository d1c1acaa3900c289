import { Worker } from 'node:worker_threads'
import { locateModule } from '../locate-module.ts'
import { configFailedError, invalidConfigError, type ConfigIssue } from './config-errors.ts'
import type { PacksConfig } from './packs-config.ts'

/** What the thread of a configuration sends back. */
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
  const worker = new Worker(WORKER, { workerData: { path }, stdout: true })
  worker.stdout.pipe(process.stderr, { end: false })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<ConfigMessage>((resolve) => {
      const fail = (message: string, hint: string): void => resolve({ failure: { message, hint } })
      worker.once('message', resolve)
      worker.once('error', (error) => fail(`it failed: ${String(error)}`, 'correct it'))
      worker.once('exit', () =>
        fail('it ended before it exported a value', 'remove process.exit and any await that never ends'),
      )
      timer = setTimeout(
        () => fail(`it did not end within ${seconds} seconds`, 'remove what it waits for'),
        seconds * 1000,
      )
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
