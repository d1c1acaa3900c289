import { extname } from 'node:path'
import {
  repeatLeased,
  type Catalog,
  type IndexRun,
  type IndexState,
  type RepeatedTask,
  type Round,
} from '@packs/catalog'
import { createTaskThread } from '@packs/threads'
import type { Logger } from 'pino'
import { describeCode, LINE_INTERVAL } from '../services/service-process.ts'
import { indexPart } from './index-part.ts'

/** A starting server answers requests first. The lease is longer than a part takes. */
const TASK = { name: 'search-index', leaseMs: 600_000, startMs: 2000, everyMs: 180_000 }
/** Time limit for a part, in seconds. It has at most 20 packs, unless they are damaged. */
const PART_SECONDS = 600

type IndexerLog = Pick<Logger, 'info' | 'warn' | 'error'>

/**
 * Indexes waiting packs in a thread and in short transactions, soon after the start and then every
 * three minutes. Only one server at a time holds the lease and works. It logs progress, and how to
 * repair a damaged index, which it does not touch.
 *
 * @example
 * const indexer = keepIndexed(catalog, log)
 */
export function keepIndexed(catalog: Catalog, log: IndexerLog): RepeatedTask {
  const url = catalog.database.url()
  // The worker has its own connection, so that a large pack does not delay requests. It cannot open an in-memory catalog.
  const script = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url)
  const reporter = createReporter(log)
  /** Whether outlines and texts may be missing that older programs did not store. */
  let mayLack = true

  const look = async ({ pause, hold }: Round): Promise<void> => {
    const state = await catalog.search.state()
    reporter.tellState(state)
    const canIndex =
      state.status === 'building' || state.status === 'missing' || (mayLack && state.status === 'ready')
    if (!canIndex || !(await hold())) return
    const thread = createTaskThread(script, PART_SECONDS)
    try {
      for (;;) {
        const part = await (url === null ? indexPart(catalog) : thread.run<IndexRun>(url, 'the search index'))
        reporter.tellPart(part, state.waiting)
        mayLack = part.packs + part.outlines > 0
        if (!mayLack) break
        await pause()
        if (!(await hold())) break
      }
      reporter.tellEnd()
    } finally {
      // The thread takes memory.
      await thread.close()
    }
    reporter.tellState(await catalog.search.state())
  }

  return repeatLeased(catalog, TASK, (round) => look(round).catch(reporter.tellFailure))
}

/** Logs each state and each damaged version once, until they change. */
function createReporter(log: IndexerLog) {
  let status: IndexState['status'] | undefined
  let packs = 0
  let outlines = 0
  const damaged = new Set<number>()
  return {
    tellState(state: IndexState) {
      if (state.status === status) return
      status = state.status
      const { indexed, waiting, reason } = state
      const fields = { code: `search_index_${status}`, indexed, waiting }
      if (status === 'damaged') {
        const message = 'the search index is damaged, so only titles are searched; run `pack index --rebuild`'
        log.error({ ...fields, reason }, message)
      } else if (status === 'missing') {
        log.warn(fields, 'the search index is missing, so only titles are searched until packs are indexed')
      } else log.info(fields, `the search index is ${status}`)
    },
    /** @param waiting packs that were waiting at the start */
    tellPart(part: IndexRun, waiting: number) {
      for (const { sequence, slug, version } of part.skipped) {
        if (damaged.has(sequence)) continue
        damaged.add(sequence)
        log.warn({ slug, version, sequence }, 'not indexed because it is damaged; run `pack verify --all`')
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
    tellFailure: (error: unknown): void =>
      log.error({ code: describeCode(error) }, 'packs could not be indexed; trying again in a few minutes'),
  }
}
