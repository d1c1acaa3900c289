import { extname } from 'node:path'
import type { Actor } from '@packs/catalog'
import { createTaskThread, type TaskThread } from '@packs/threads'
import type { PublishResult } from '../runner.ts'
import type { ParsedBody } from './publish-body.ts'

export interface PublishServices {
  readonly databaseUrl: string
  /** Without it, the process builds and commits versions itself. */
  readonly redisUrl: string | undefined
  readonly buildSeconds: number
}

export interface PublishTask {
  readonly slug: string
  /** JSON, of unknown origin. */
  readonly body: Uint8Array
  readonly actor: Actor
  readonly services: PublishServices
}

/** The result, also of a failed publish, or the errors of the body. */
export type PublishAnswer =
  | { readonly path: string; readonly result: PublishResult }
  | Extract<ParsedBody, { readonly errors: unknown }>

/** For all but the build, such as the publishes of the pack that were accepted before. */
const MORE_SECONDS = 300

/**
 * Creates a process that publishes one source after the other, so that a server can go on
 * answering. Its requests are {@link PublishTask}s.
 */
export function createPublishProcess(
  buildSeconds: number,
  env: Readonly<Record<string, string>>,
): TaskThread {
  const script = new URL(`./publish-worker${extname(import.meta.url)}`, import.meta.url)
  const options = { isProcess: true, env, slots: 16, slotsPerOwner: 8 }
  return createTaskThread(script, buildSeconds + MORE_SECONDS, options)
}
