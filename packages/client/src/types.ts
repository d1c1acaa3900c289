import type { Lock } from './lock.ts'
import type { LinkForm } from '@packs/codec/internal'
import type { Difficulty, Pack } from '@packs/codec/pack'
import type { PackPreview, PackSummary, PackVersion, Status, Usage } from './generated/responses.ts'

export type { Lock, Pin } from './lock.ts'

/** Where a client finds the catalog, and how it behaves. */
export interface ClientOptions {
  /** With or without `/api/v1`. May be omitted with a `lock`: then nothing is requested. */
  readonly url?: string | undefined
  /** API key. It is sent as `x-api-key`, to the host of `url` only, and no error contains it. */
  readonly key?: string | undefined
  /**
   * Sends the key over `http://` to other machines too: everyone on the network path can read it.
   * @default false
   */
  readonly allowHttp?: boolean | undefined
  /** @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined
  /** Keeps responses and packs. @default in memory, 32 MiB */
  readonly cache?: Cache | undefined
  /**
   * Serves packs from these pins: a lock as an object, or the path of a `packs.lock` (Node, Deno
   * and Bun: loads `@packs/client/node`, and packs from the cache folder of the user unless there
   * is a `cache`).
   */
  readonly lock?: Lock | string | undefined
  /**
   * Key ids: only packs signed by one of these keys are accepted. A pin that names a signer
   * overrides them. Previews are then refused, because they cannot be verified. @default any pack,
   * and its `signer` says who signed it
   */
  readonly signers?: readonly string[] | undefined
  /**
   * Whether cached packs are refused while the list of purged versions is over a day old and cannot
   * be read. @default false: they are used, with a warning of the process
   */
  readonly strict?: boolean | undefined
  /** Milliseconds that a `Retry-After` may be waited for. @default 5000 */
  readonly maxWait?: number | undefined
  /** Milliseconds for an attempt and its body; six times for a page of downloads. @default 10000 */
  readonly timeout?: number | undefined
  /** Attempts after the first one that fails. @default 2 */
  readonly retries?: number | undefined
}

/** Methods may be slow or fail: the client then continues without the cache. */
export interface Cache {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  /** Deletes what was purged. Without it, an empty text is stored. */
  delete?(key: string): Promise<void>
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call; it is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Limits a call to some packs. */
interface PackFilter extends CallOptions {
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
}

/** A search of the API. */
export interface SearchRequest extends CallOptions {
  /** @default 10 */
  readonly limit?: number | undefined
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
}

/** Filters of a list or download. */
export interface ListOptions extends PackFilter {
  /** Words of the title; `list` only. */
  readonly search?: string | undefined
  /** Most tokens of content and header; `list` only. */
  readonly maxTokens?: number | undefined
}

/** A question to the API. */
export interface ContextQuestion extends CallOptions {
  readonly budget?: number | undefined
  readonly packs?: readonly string[] | undefined
  readonly links?: LinkForm | undefined
  readonly fill?: boolean | undefined
}

export interface DownloadOptions extends PackFilter {
  /** RFC 3339. */
  readonly updatedSince?: string | undefined
  /**
   * `cursor` of the last entry that was handled: continues with the page of that entry, or after
   * it if it was the last entry of its page. After the last page, returns what changed since.
   */
  readonly cursor?: string | undefined
}

/** Every method rejects with a `ClientError`, or with the reason of the signal. */
export interface Client {
  usage(options?: CallOptions): Promise<Usage>
  /** Needs no key. */
  status(options?: CallOptions): Promise<Status>
  readonly packs: {
    list(options?: ListOptions): AsyncIterableIterator<ListedPack>
    /** @param name `slug`, `slug@range`, id or `id@range`; the newest version that fits */
    get(name: string, options?: CallOptions): Promise<FullPack | PreviewPack>
    /**
     * Highest first.
     * @param name slug or id; with a range, only those in it
     */
    versions(name: string, options?: CallOptions): Promise<readonly VersionLine[]>
    /** All packs, or what changed since a cursor. */
    download(options?: DownloadOptions): AsyncIterableIterator<DownloadEntry>
  }
}

export type { PackSummary, Status, Usage } from './generated/responses.ts'

/** How fresh a result is. */
export interface Freshness {
  /** Whether it is a cached copy because the catalog is not available. */
  readonly stale: boolean
  /** Seconds since the catalog confirmed it; 0 if it did just now, or if it never changes. */
  readonly age: number
}

/** Every field of the document, so that `pack_digest` can be computed. Pro accounts only. */
export interface FullPack extends Pack, Freshness {
  readonly preview: false
  /**
   * Id of the key whose signature was verified: the one asked for, else the last one. Null if the
   * pack is unsigned. An id does not say whose key it is.
   */
  readonly signer: string | null
}

/** The beginning of the content as plain text. Its digests cannot be verified. */
export interface PreviewPack extends PackPreview, Freshness {}

/** A line of a pack's history. Older catalogs do not send `signers`. */
export interface VersionLine extends PackVersion, Freshness {}

/** A pack in a list. */
export interface ListedPack extends PackSummary, Freshness {
  /**
   * Whether the lock pins this very version; absent without a lock. If it does not, no method reads
   * it: pin it with `pack add`, or name it by its slug alone for the version that is pinned.
   */
  readonly pinned?: boolean
}

/** The cursor continues once the entry is handled; undefined: the first page is read again. */
export type DownloadEntry = DownloadItem & { readonly cursor: string | undefined }

/** What an entry of a download says of a pack. */
export type DownloadItem =
  | { readonly kind: 'pack'; readonly pack: FullPack }
  | { readonly kind: 'removed'; readonly id: string; readonly slug: string }
  | { readonly kind: 'damaged'; readonly slug: string; readonly version: string | null }
