import type { Catalog, Change, PackQuery, PackVersion } from '@packs/catalog'
import type { CursorPosition } from './download-cursor.ts'
import { projectFull, removedPackSchema } from './project-pack.ts'

/** Packs on a page. */
export const MAX_PACKS = 100
/** Bytes of documents on a page; the last one may pass them. */
const MAX_BYTES = 32 * 1024 * 1024
/** Bytes of documents that a download may hold, rather than read each again when its turn comes. */
const MAX_HELD_BYTES = 4 * 1024 * 1024

/** Which packs a download is of. */
export interface DownloadFilters extends Pick<PackQuery, 'domain' | 'difficulty'> {
  readonly updated_since?: string | undefined
}

/** A page of a download: what stands on it, and where the next begins. */
export interface DownloadPage {
  readonly count: number
  readonly next: CursorPosition
  readonly hasMore: boolean
  /** The entries, one by one, as they are sent. */
  entries(): AsyncGenerator<Record<string, unknown>>
}

/**
 * Chooses a page by the order of changes. A first download is not told of packs that went before it began; one that goes
 * on, or asks since a time, is.
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
    // When all is there, what goes from here on is told.
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

/** Lets the document go, and reads it again; it never changes. */
function createReloadedEntry({ packs }: Catalog, change: Change): Entry {
  if (change.removed) return createEntry(change)
  const { document: _document, ...summary } = change.version
  return async () => {
    const again = await packs.version(summary.id, summary.version)
    if (again === undefined) throw new Error('A version that was found is gone')
    return projectFull({ ...summary, document: again.document } satisfies PackVersion)
  }
}

/** Runs work one after the other beyond so many at a time. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

/** Creates turns: choosing a page reads up to 32 MiB, so that few may do it at once. */
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
