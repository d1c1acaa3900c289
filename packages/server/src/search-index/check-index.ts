import type { IndexState } from '@packs/catalog'
import type { Exit } from '../exit-status.ts'
import type { Host } from '../host.ts'
import { requireCatalog, withReadOnlyCatalog, type ServiceUrls } from '../services/open-services.ts'

/** The state counts packs up to this number. */
const MAX_COUNT = 10_000

/** Prints the state of the search index, and returns the exit status. @throws CatalogError */
export async function checkIndex(host: Host, urls: ServiceUrls, asJson: boolean): Promise<Exit> {
  await requireCatalog(urls)
  const state = await withReadOnlyCatalog(host, urls, ({ search }) => search.state())
  const isReady = state.status === 'ready'
  if (asJson) host.writeJson({ ok: isReady, ...describeState(state) })
  else writeState(host, state)
  return isReady ? 'done' : 'findings'
}

/** The state of the index in the output with `--json`. */
export function describeState({ status, indexed, waiting, reason }: IndexState): object {
  return { status, indexed, waiting, ...(reason !== undefined && { reason }) }
}

/** Prints the state of the index, and what to do unless it is complete. */
export function writeState(host: Host, { status, indexed, waiting, reason }: IndexState): void {
  const isReady = status === 'ready'
  const count = (packs: number): string => `${host.formatCount(packs)}${packs >= MAX_COUNT ? ' or more' : ''}`
  const counts = `${count(indexed)} packs indexed, ${count(waiting)} waiting`
  host.writeResult(`${host.styleResult(isReady ? 'green' : 'yellow', status)}  ${counts}\n`)
  if (reason !== undefined) host.writeResult(`  ${host.escapeControls(reason)}\n`)
  if (!isReady) host.writeNote(`${host.styleNote('dim', 'hint:')} run \`${chooseCommand(status)}\``)
}

function chooseCommand(status: IndexState['status']): string {
  return status === 'damaged' ? 'pack index --rebuild' : 'pack index'
}
