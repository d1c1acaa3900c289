import type { IndexProgress, IndexRun, IndexState, SkippedVersion } from '@packs/catalog'
import type { Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  requireCatalog,
  withCatalog,
  type ServiceUrls,
  withReadOnlyCatalog,
} from '../services/open-services.ts'
import { LINE_INTERVAL, startLongWork } from '../services/service-process.ts'

/**
 * Indexes the waiting packs, or all of them, and returns the exit status.
 *
 * @throws CatalogError
 */
export async function indexPacks(
  host: Host,
  urls: ServiceUrls,
  { rebuild, json }: { readonly rebuild: boolean; readonly json: boolean },
): Promise<Exit> {
  await requireCatalog(urls)
  const signal = startLongWork()
  const { run, state } = await withCatalog(urls, async ({ search }) => {
    const before = await search.state()
    const isRebuilt = rebuild || before.status === 'damaged'
    const progress = createProgress(host, before.waiting + (isRebuilt ? before.indexed : 0), json)
    const options = { signal, onProgress: progress.advance }
    const work = isRebuilt ? search.rebuild(options) : search.indexWaiting(options)
    return { run: await work.finally(progress.stop), state: await search.state() }
  })
  const isReady = state.status === 'ready' && run.skipped.length === 0
  if (json)
    host.writeJson({
      ok: isReady && !signal.aborted,
      complete: !signal.aborted,
      ...describeState(state),
      ...run,
    })
  else writeRun(host, run, state)
  if (signal.aborted) {
    host.writeNote('interrupted: run `pack index` again to continue')
    return 'interrupted'
  }
  return isReady ? 'done' : 'findings'
}

/** Shows a counter on a terminal, and occasional lines elsewhere. */
function createProgress(host: Host, total: number, isQuiet: boolean) {
  const counter = host.startProgress('indexing', total, isQuiet)
  let shown = 0
  return {
    advance: ({ packs }: IndexProgress): void => {
      const isLine = Math.floor(packs / LINE_INTERVAL) > Math.floor(shown / LINE_INTERVAL)
      for (; shown < packs; shown++) counter.advance()
      if (isLine && !isQuiet && !process.stderr.isTTY)
        host.writeNote(`indexed ${host.formatCount(packs)} packs`)
    },
    stop: counter.stop,
  }
}

function writeRun(host: Host, { packs, outlines, skipped }: IndexRun, state: IndexState): void {
  for (const version of skipped) host.writeResult(`${formatSkipped(host, version)}\n`)
  const counts = `${host.formatCount(packs)} packs indexed, ${host.formatCount(outlines)} outlines stored`
  host.writeNote(`${counts}, ${host.formatCount(skipped.length)} damaged versions skipped`)
  writeState(host, state)
}

function formatSkipped(host: Host, { slug, version, sequence, reason }: SkippedVersion): string {
  const name = host.escapeControls(version === '' ? slug : `${slug}@${version}`)
  const hint = '  hint: run `pack verify --all`, and restore a backup'
  const line = `${host.styleResult('red', 'skipped')} ${name} (sequence ${sequence})`
  return `${line}\n  ${host.escapeControls(reason)}\n${hint}`
}

/** Packs are only counted up to this number. */
const MAX_COUNT = 10_000

/**
 * Prints the state of the search index, and returns the exit status.
 *
 * @throws CatalogError
 */
export async function checkIndex(host: Host, urls: ServiceUrls, asJson: boolean): Promise<Exit> {
  await requireCatalog(urls)
  const state = await withReadOnlyCatalog(host, urls, ({ search }) => search.state())
  const isReady = state.status === 'ready'
  if (asJson) host.writeJson({ ok: isReady, ...describeState(state) })
  else writeState(host, state)
  return isReady ? 'done' : 'findings'
}

function describeState({ status, indexed, waiting, reason }: IndexState): object {
  return { status, indexed, waiting, ...(reason !== undefined && { reason }) }
}

/** Prints the state of the index, and what to do if it is incomplete. */
function writeState(host: Host, { status, indexed, waiting, reason }: IndexState): void {
  const isReady = status === 'ready'
  const count = (packs: number): string => `${host.formatCount(packs)}${packs >= MAX_COUNT ? ' or more' : ''}`
  const counts = `${count(indexed)} packs indexed, ${count(waiting)} waiting`
  host.writeResult(`${host.styleResult(isReady ? 'green' : 'yellow', status)}  ${counts}\n`)
  if (reason !== undefined) host.writeResult(`  ${host.escapeControls(reason)}\n`)
  const command = status === 'damaged' ? 'pack index --rebuild' : 'pack index'
  if (!isReady) host.writeNote(`${host.styleNote('dim', 'hint:')} run \`${command}\``)
}
