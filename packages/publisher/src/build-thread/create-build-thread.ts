import { extname } from 'node:path'
import { BuildTimeoutError, createTaskThread } from '@packs/threads'
import { PublishError } from '../publish-error.ts'
import type { BuiltVersion, DecideOptions, Parent } from '../version-builder/decide-version.ts'
import type { SourceFile } from '../version-builder/read-source.ts'

/** Builds the next version of a pack: `buildVersion`, in another thread. */
export type BuildVersion = (
  file: SourceFile,
  parent: Parent | undefined,
  options?: DecideOptions,
) => Promise<BuiltVersion>

/** A thread that builds versions, one at a time. */
export interface BuildThread {
  /** @throws PublishError `bad_source`, `round_trip_failed`, `build_timeout` */
  readonly build: BuildVersion
  readonly close: () => Promise<void>
}

export type BuildRequest = Parameters<BuildVersion>

/** A build in a thread can be ended, here after `seconds`, and does not block the process. */
export function createBuildThread(seconds?: number): BuildThread {
  const script = new URL(`./build-worker${extname(import.meta.url)}`, import.meta.url)
  const thread = createTaskThread(script, seconds)
  return {
    build: (...request: BuildRequest) => thread.run<BuiltVersion>(request, request[0].path).catch(rethrow),
    close: () => thread.close(),
  }
}

function rethrow(error: unknown): never {
  if (!(error instanceof BuildTimeoutError) && (error as Error).name !== 'PublishError') throw error
  const { code, message, hint, messages } = error as PublishError
  throw new PublishError(code, message, hint, { messages })
}
