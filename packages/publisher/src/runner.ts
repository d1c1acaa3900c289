import type { Actor } from '@packs/catalog'
import type { SourceMessage } from './publish-error.ts'
import type { ReadSource } from './version-builder/read-source.ts'
import type { Level, VersionLevel } from './version-builder/compare-sources.ts'

/** A source to publish, as returned by `readSource`. */
export interface PublishRequest extends ReadSource {
  /** Git commit that contains this exact file, if any. */
  readonly gitCommit?: string | null
  readonly actor: Actor
  /** Raises the level that the changes need. */
  readonly bump?: VersionLevel | undefined
  /** Publishes an unchanged source again, as a patch. @default false */
  readonly rebuild?: boolean | undefined
}

export interface PublishResult {
  readonly slug: string
  readonly id: string
  /** `null` until the version is decided. */
  readonly version: string | null
  readonly status: 'published' | 'unchanged' | 'conflict' | 'failed' | 'queued'
  /** Level of the change; `null` for a first version and for a version that the author named. */
  readonly level: Level | null
  readonly reasons: readonly string[]
  /** Code, message and hint of the error; `null` without one. */
  readonly code: string | null
  readonly message: string | null
  readonly hint: string | null
  readonly job: string | null
  /** Messages about the source, for its author; empty if a worker built the version. */
  readonly messages: readonly SourceMessage[]
}

export interface RunOptions {
  /** Resolves only when the work is done. The in-process runner always does. @default false */
  readonly wait?: boolean | undefined
  /** Milliseconds of an outage of database or Redis to wait, to accept a source. @default 0 */
  readonly patience?: number | undefined
  /** Called with the progress of all requests together, in percent. */
  readonly onProgress?: ((percent: number) => void) | undefined
  /** Called with notes for a waiting user, such as that no worker is running. */
  readonly onNote?: ((sentence: string) => void) | undefined
}

/**
 * Publishes in process or through a queue; both run the same steps.
 *
 * Results are in the order of the requests. A failed request is a result and does not stop the
 * others. Only an error that prevents all requests from being accepted is thrown.
 */
export interface Runner {
  /** @throws PublishError, CatalogError */
  publish(requests: readonly PublishRequest[], options?: RunOptions): Promise<readonly PublishResult[]>
  /**
   * Publishes all sources or none. `pack jobs` shows the release under `name`.
   * @throws PublishError, CatalogError
   */
  release(
    name: string,
    requests: readonly PublishRequest[],
    options?: RunOptions,
  ): Promise<readonly PublishResult[]>
  close(): Promise<void>
}

export interface JobLine {
  readonly id: string
  /** Slug of the pack, or the name of the release. */
  readonly slug: string
  readonly state: string
  /** Percent, 0 to 100. */
  readonly progress: number
  readonly attempts: number
  readonly error: string | null
  /** When it changed last: RFC 3339, UTC. */
  readonly at: string
}

export interface JobList {
  /** Of a queue by state: active, waiting, failed, completed. Each of them newest first. */
  list(limit: number): Promise<readonly JobLine[]>
  find(id: string): Promise<JobLine | undefined>
}

export interface VersionCheck {
  readonly name: string
  readonly ok: boolean
  /** One sentence. */
  readonly message: string
  /** What to do, unless the message says it. */
  readonly hint?: string
}
