import type { Catalog, Change, PackQuery, PackVersion } from '@packs/catalog'
import type { CursorPlace } from './download-cursor.ts'
import { projectFull, removedPackSchema } from './project-pack.ts'

/** Packs on a page. */
export const MOST_PACKS = 100
/** Bytes of documents on a page; the last one may pass them. */
const MOST_BYTES = 32 * 1024 * 1024
/** Bytes of documents that a download may hold, rather than read each again when its turn comes. */
const HELD_BYTES = 4 * 1024 * 1024

/** Which packs a download is of. */
export interface DownloadFilters extends Pick<PackQuery, 'domain' | 'difficulty'> {
  readonly updated_since?: string | undefined
}

/** A page of a download: what stands on it, and where the next begins. */
export interface PlannedPage {
  readonly count: number
  readonly next: CursorPlace
  readonly more: boolean
  /** The entries, one by one, as they are sent. */
  entries(): AsyncGenerator<Record<string, unknown>>
}

/**
 * Chooses a page by the order of changes. A first download is not told of packs that went before it began; one that goes
 * on, or asks since a time, is.
 */
export async function planPage(
  catalog: Catalog,
  filters: DownloadFilters,
  place: CursorPlace | undefined,
): Promise<PlannedPage> {
  const isFirst = place === undefined
  const since = place?.since ?? (filters.updated_since === undefined ? await catalog.sequence() : 0)
  const page = await catalog.packs.changes({
    after: place?.after ?? 0,
    since: filters.updated_since,
    domain: filters.domain,
    difficulty: filters.difficulty,
    removals: !isFirst || filters.updated_since !== undefined,
    limit: MOST_PACKS,
    maxBytes: MOST_BYTES,
  })
  const told = page.changes.filter((change) => !change.removed || change.sequence > since)
  const bytes = told.reduce((sum, change) => sum + (change.removed ? 0 : change.version.document.length), 0)
  const entries =
    bytes <= HELD_BYTES ? told.map((change) => hold(change)) : told.map((change) => recall(catalog, change))
  return {
    count: told.length,
    // When all is there, what goes from here on is told.
    next: { after: page.last, since: page.more ? since : page.last },
    more: page.more,
    async *entries() {
      for (const entry of entries) yield await entry()
    },
  }
}

type Entry = () => Record<string, unknown> | Promise<Record<string, unknown>>

function hold(change: Change): Entry {
  return () => (change.removed ? removedPackSchema.parse(change) : projectFull(change.version))
}

/** Lets the document go, and reads it again; it never changes. */
function recall({ packs }: Catalog, change: Change): Entry {
  if (change.removed) return hold(change)
  const { document: _document, ...summary } = change.version
  return async () => {
    const again = await packs.version(summary.id, summary.version)
    if (again === undefined) throw new Error('A version that was found is gone')
    return projectFull({ ...summary, document: again.document } satisfies PackVersion)
  }
}

/** Runs work one after the other beyond so many at a time. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Creates turns: choosing a page reads up to 32 MiB, so that few may do it at once. */
export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
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
