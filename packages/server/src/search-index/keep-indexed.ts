import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalog, IndexRun, IndexState } from '@packs/catalog'
import type { Logger } from 'pino'
import { createIndexThread, type IndexThread } from './create-index-thread.ts'

/** Milliseconds between two looks at the state of the index. */
const EVERY_MS = 180_000
/** Before the first look, so that a server that starts answers requests first. */
const START_MS = 2000
/** Between two parts, so that others can write. */
const PAUSE_MS = 100
/** Longer than a part takes. */
const LEASE_MS = 600_000
/** Packs between two log lines. */
const LINE_INTERVAL = 1000

/** Indexes packs as long as a server runs. */
export interface Indexer {
  /** Waits for the packs in hand, and lets another server index at once. */
  stop(): Promise<void>
}

type IndexerLog = Pick<Logger, 'info' | 'warn' | 'error'>

/**
 * Indexes the packs that wait, in a thread and in short transactions: soon after the start and then every three minutes. Of all
 * servers, one at a time holds the lease and works. Logs what happens, and how to repair a damaged index, which it leaves alone.
 *
 * @example
 * const indexer = keepIndexed(catalog, log)
 */
export function keepIndexed(catalog: Catalog, log: IndexerLog): Indexer {
  const ending = new AbortController()
  const { signal } = ending
  const lease = { name: 'search-index', holder: randomUUID() }
  const thread = createIndexThread(catalog)
  const reporter = createReporter(log)
  const waitFor = (ms: number): Promise<unknown> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const hold = (): Promise<boolean> =>
    catalog.maintenance.takeLease({ ...lease, now: new Date(), lengthMs: LEASE_MS })

  const look = async (): Promise<void> => {
    const state = await catalog.search.state()
    reporter.tellState(state)
    const canIndex = state.status === 'building' || state.status === 'missing'
    if (!canIndex || !(await hold())) return
    const goOn = async (): Promise<boolean> => {
      await waitFor(PAUSE_MS)
      return !signal.aborted && hold()
    }
    try {
      await indexParts(thread, reporter, { waiting: state.waiting, goOn })
    } finally {
      // It needs memory, and starts again with the next part.
      await thread.close()
    }
    reporter.tellState(await catalog.search.state())
  }

  const work = async (): Promise<void> => {
    for (let ms = START_MS; !signal.aborted; ms = EVERY_MS) {
      await waitFor(ms)
      if (!signal.aborted) await look().catch(reporter.tellFailure)
    }
    // A lease that cannot be given back expires.
    await catalog.maintenance.releaseLease(lease).catch(() => undefined)
  }
  const done = work()
  return {
    async stop() {
      ending.abort()
      await done
    },
  }
}

interface PartOptions {
  readonly waiting: number
  /** Pauses, and tells whether this server still has the lease. */
  readonly goOn: () => Promise<boolean>
}

async function indexParts(
  thread: IndexThread,
  reporter: Reporter,
  { waiting, goOn }: PartOptions,
): Promise<void> {
  let isMore = true
  while (isMore) {
    const part = await thread.next()
    reporter.tellPart(part, waiting)
    isMore = part.packs + part.outlines > 0 && (await goOn())
  }
  reporter.tellEnd()
}

interface Reporter {
  readonly tellState: (state: IndexState) => void
  /** @param waiting packs that waited at the start */
  readonly tellPart: (part: IndexRun, waiting: number) => void
  readonly tellEnd: () => void
  readonly tellFailure: (error: unknown) => void
}

/** Logs each state and each damaged version once, until they change. */
function createReporter(log: IndexerLog): Reporter {
  let status: IndexState['status'] | undefined
  let packs = 0
  let outlines = 0
  const damaged = new Set<number>()
  return {
    tellState(state) {
      if (state.status === status) return
      status = state.status
      const { indexed, waiting, reason } = state
      const fields = { code: `search_index_${status}`, indexed, waiting }
      if (status === 'damaged') {
        const message = 'the search index is damaged, so only titles are searched: run `pack index --rebuild`'
        log.error({ ...fields, reason }, message)
      } else if (status === 'missing') {
        log.warn(fields, 'the search index is missing, so only titles are searched until packs are indexed')
      } else log.info(fields, `the search index is ${status}`)
    },
    tellPart(part, waiting) {
      for (const { sequence, slug, version } of part.skipped) {
        if (damaged.has(sequence)) continue
        damaged.add(sequence)
        log.warn({ slug, version, sequence }, 'not indexed, because it is damaged: run `pack verify --all`')
      }
      if (part.packs + part.outlines === 0) return
      const lines = Math.floor(packs / LINE_INTERVAL)
      const isFirst = packs + outlines === 0
      packs += part.packs
      outlines += part.outlines
      if (isFirst || Math.floor(packs / LINE_INTERVAL) > lines) {
        log.info({ packs, waiting }, 'indexing packs for search')
      }
    },
    tellEnd() {
      if (packs + outlines > 0) {
        log.info({ packs, outlines, skipped: damaged.size }, 'packs indexed for search')
      }
      packs = 0
      outlines = 0
    },
    /** The message of an unexpected error may contain values. */
    tellFailure(error) {
      const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string'
      const code = hasCode ? String(error.code) : error instanceof Error ? error.name : 'unknown'
      log.error({ code }, 'packs could not be indexed; trying again in some minutes')
    },
  }
}
