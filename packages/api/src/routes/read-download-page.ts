import type { Catalog, Change, PackQuery, PackVersion } from '@packs/catalog'
import type { CursorPosition } from './download-cursor.ts'
import { projectFull, removedPackSchema } from './pack-responses.ts'

/** Maximum packs in a page. */
export const MAX_PACKS = 100
/** Maximum bytes of documents in a page; the last document may exceed it. */
const MAX_BYTES = 32 * 1024 * 1024
/** Maximum bytes of documents that a page keeps in memory; a larger page reads each document again when it is sent. */
const MAX_HELD_BYTES = 4 * 1024 * 1024

/** Filters of a download. */
export interface DownloadFilters extends Pick<PackQuery, 'domain' | 'difficulty'> {
  readonly updated_since?: string | undefined
}

/** A page of a download, and the position of the next. */
export interface DownloadPage {
  readonly count: number
  readonly next: CursorPosition
  readonly hasMore: boolean
  /** Yields the entries as they are sent. */
  entries(): AsyncGenerator<Record<string, unknown>>
}

/**
 * Reads a page in the order of changes. It lists removed packs only if the download has a cursor or `updated_since`, because
 * otherwise the client cannot have them.
 */
export async function readDownloadPage(
  catalog: Catalog,
  filters: DownloadFilters,
  position: CursorPosition | undefined,
): Promise<DownloadPage> {
  const isFirst = position === undefined
  const since = position?.since ?? (filters.updated_since === undefined ? await catalog.sequence() : 0)
  const page = await catalog.packs.changes({
    after: position?.after ?? 0,
    since: filters.updated_since,
    domain: filters.domain,
    difficulty: filters.difficulty,
    removals: !isFirst || filters.updated_since !== undefined,
    limit: MAX_PACKS,
    maxBytes: MAX_BYTES,
  })
  const listed = page.changes.filter((change) => !change.removed || change.sequence > since)
  const bytes = listed.reduce((sum, change) => sum + (change.removed ? 0 : change.version.document.length), 0)
  const entries =
    bytes <= MAX_HELD_BYTES
      ? listed.map((change) => createEntry(change))
      : listed.map((change) => createReloadedEntry(catalog, change))
  return {
    count: listed.length,
    // After the last page, the client needs the removals from here on.
    next: { after: page.last, since: page.more ? since : page.last },
    hasMore: page.more,
    async *entries() {
      for (const entry of entries) yield await entry()
    },
  }
}

type Entry = () => Record<string, unknown> | Promise<Record<string, unknown>>

function createEntry(change: Change): Entry {
  return () => (change.removed ? removedPackSchema.parse(change) : projectFull(change.version))
}

/** Creates an entry that reads its document, which never changes, again when it is sent. */
function createReloadedEntry({ packs }: Catalog, change: Change): Entry {
  if (change.removed) return createEntry(change)
  const { document: _document, ...summary } = change.version
  return async () => {
    const loaded = await packs.version(summary.id, summary.version)
    if (loaded === undefined) throw new Error('A version that was found no longer exists')
    return projectFull({ ...summary, document: loaded.document } satisfies PackVersion)
  }
}

/** Runs work once fewer than the maximum are running. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

/** Limits concurrent page reads (32 MiB each). */
export function limitConcurrency(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
