import { BuildTimeoutError, createTaskThread, type TaskThread, ThreadEndedError } from '@packs/threads'
import { configFailedError, invalidConfigError, type ConfigIssue, CliError } from '../cli-error.ts'
import { locateModule } from '../package-files.ts'
import type { PacksConfig, PreparedSource } from './packs-config.ts'

/** For the values of a configuration, or for the text that it makes from a source. */
export interface ConfigRequest {
  readonly path: string
  readonly source?: PreparedSource
}

export type ConfigMessage =
  | { readonly config: PacksConfig; readonly hasPrepare: boolean }
  | { readonly issues: readonly ConfigIssue[] }
  | { readonly failure: ConfigFailure }
  | { readonly text: string }

export interface RunConfig {
  readonly config: PacksConfig
  readonly prepare?: (source: PreparedSource) => Promise<string>
  readonly close?: () => Promise<void>
}

export interface ConfigFailure {
  readonly message: string
  readonly hint: string
  readonly line?: number
  readonly column?: number
}

const SECONDS = 10

const WORKER = locateModule('config/config-worker')

/**
 * Runs a configuration in a thread, so that one that never ends can be stopped. What it prints goes
 * to stderr, because stdout is for the result of the command.
 */
export async function runConfig(path: string, shown: string, seconds: number = SECONDS): Promise<RunConfig> {
  const thread = createTaskThread(WORKER, seconds)
  const close = (): Promise<void> => thread.close()
  const answer = await ask(thread, { path }, seconds)
  if ('config' in answer && answer.hasPrepare) {
    let late = 0
    const prepare = async (source: PreparedSource): Promise<string> => {
      const start = performance.now()
      // Otherwise a prepare that always hangs would take this long for each of many sources.
      if (late === MOST_LATE) throw prepareError(shown, source, GIVEN_UP)
      const text = await ask(thread, { path, source }, seconds)
      if ('text' in text) return text.text
      if (performance.now() - start >= seconds * 1000) late++
      throw prepareError(shown, source, findFailure(text))
    }
    return { config: answer.config, prepare, close }
  }
  await close()
  if ('config' in answer) return { config: answer.config }
  if ('issues' in answer) throw invalidConfigError(shown, answer.issues, () => undefined)
  const { message, hint, ...position } = findFailure(answer)
  throw configFailedError(shown, message, hint, position)
}

/** Sources for which `prepare` may take too long before it is not asked again. */
const MOST_LATE = 3
const GIVEN_UP = {
  message: `it timed out on ${MOST_LATE} earlier sources`,
  hint: 'remove the await that does not finish',
}

function prepareError(
  shown: string,
  { path }: PreparedSource,
  { message, hint, line }: ConfigFailure,
): CliError {
  const location = line === undefined ? shown : `${shown}:${line}`
  const problem = `prepare in ${location} failed for ${path}: ${message}`
  return new CliError('prepare_failed', problem, `${hint}; the source was not built`)
}

/** A thread that was ended reads the configuration again. It can fail then. */
function findFailure(answer: ConfigMessage): ConfigFailure {
  if ('failure' in answer) return answer.failure
  return { message: 'the configuration changed during the run', hint: 'run the command again' }
}

async function ask(thread: TaskThread, request: ConfigRequest, seconds: number): Promise<ConfigMessage> {
  try {
    return await thread.run<ConfigMessage>(request, request.path)
  } catch (error) {
    return { failure: describeEnd(error, seconds, request.source !== undefined) }
  }
}

function describeEnd(error: unknown, seconds: number, isText: boolean): ConfigFailure {
  if (error instanceof BuildTimeoutError)
    return { message: `it did not end within ${seconds} seconds`, hint: GIVEN_UP.hint }
  const cause = (error instanceof ThreadEndedError ? error.cause : error) as Error | undefined
  if (cause !== undefined) return { message: `it failed: ${String(cause)}`, hint: 'correct it' }
  const hint = 'remove process.exit and any await that never ends'
  return { message: `it ended before it ${isText ? 'returned a text' : 'exported a value'}`, hint }
}
