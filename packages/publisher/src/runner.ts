import type { SourceMessage } from './publish-error.ts'
import type { ReadSource } from './version-builder/read-source.ts'
import type { Level, VersionLevel } from './version-builder/reason.ts'

/** A source, read by `readSource`, that is to become a version. */
export interface PublishRequest extends ReadSource {
  /** Commit that holds the file as it is, if any. */
  readonly gitCommit?: string | null
  /** Raises the decided level. */
  readonly bump?: VersionLevel | undefined
  /** Makes a patch of a source that was published before. @default false */
  readonly rebuild?: boolean | undefined
}

/** What became of a request. */
export interface PublishResult {
  readonly slug: string
  readonly id: string
  /** `null` until it is decided. */
  readonly version: string | null
  readonly status: 'published' | 'unchanged' | 'conflict' | 'failed' | 'queued'
  /** Why the version has its number; `null` for a first version and one that the author named. */
  readonly level: Level | null
  readonly reasons: readonly string[]
  /** Code, message and hint of what went wrong. */
  readonly code: string | null
  readonly message: string | null
  readonly hint: string | null
  readonly job: string | null
  /** About the source, for its author; not known of what ran elsewhere. */
  readonly messages: readonly SourceMessage[]
}

export interface RunOptions {
  /** Come back when the work is done; where it is done in process, it always is. @default false */
  readonly wait?: boolean | undefined
  /** Hears of percents done, of all requests together. */
  readonly onProgress?: ((percent: number) => void) | undefined
  /** Hears what a person who waits should know, as that no worker runs. */
  readonly onNote?: ((sentence: string) => void) | undefined
}

/**
 * Does publishes, here or by a queue; both run the same steps.
 *
 * Results stand in the order of the requests. One that fails is a result and stops no other; thrown is only what keeps all
 * of them from being accepted.
 */
export interface Runner {
  /** Publishes each source by itself. @throws PublishError, CatalogError */
  publish(requests: readonly PublishRequest[], options?: RunOptions): Promise<readonly PublishResult[]>
  /** Publishes all sources or none, under a name that `pack jobs` shows. @throws PublishError, CatalogError */
  release(
    name: string,
    requests: readonly PublishRequest[],
    options?: RunOptions,
  ): Promise<readonly PublishResult[]>
  close(): Promise<void>
}

/** A job as `pack jobs` shows it. */
export interface JobLine {
  readonly id: string
  /** Of its pack; the name of a release. */
  readonly slug: string
  readonly state: string
  /** 0 to 100. */
  readonly progress: number
  /** Times it was begun. */
  readonly attempts: number
  readonly error: string | null
}
