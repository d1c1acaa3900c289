import type { CatalogFault, CatalogVerification, VerifyProgress } from '@packs/publisher'
import type { Exit } from '../command-error.ts'
import type { Host, Progress } from '../host.ts'
import { requireCatalog, withReadOnlyCatalog, type ServiceUrls } from '../services/open-services.ts'
import { LINE_INTERVAL, startLongWork } from '../services/service-process.ts'

export interface VerifyAllOptions {
  readonly after: number
  readonly quiet: boolean
  readonly json: boolean
}

/** Maximum faults listed with `--json`; `more_faults` counts the others. */
const MAX_LISTED = 1000

/**
 * Verifies a whole catalog, prints each fault and returns the exit status.
 *
 * @throws CatalogError
 */
export async function verifyAll(host: Host, urls: ServiceUrls, options: VerifyAllOptions): Promise<Exit> {
  const { after, quiet, json } = options
  await requireCatalog(urls)
  const signal = startLongWork()
  const { verifyCatalog } = await import('@packs/publisher')
  const listed: CatalogFault[] = []
  const progress = createProgress(host, quiet || json)
  const found = await withReadOnlyCatalog(host, urls, (catalog) =>
    verifyCatalog(catalog, {
      after,
      signal,
      onVersion: progress.advance,
      onFault(fault) {
        if (!json) return writeFault(host, fault)
        if (listed.length < MAX_LISTED) listed.push(fault)
      },
    }),
  ).finally(progress.stop)
  if (json) host.writeJson(describeResult(found, listed))
  else if (!quiet || !found.ok) writeSummary(host, found)
  if (!found.isComplete) {
    host.writeNote(`interrupted; to continue, add --after ${found.last}`)
    return 'interrupted'
  }
  return found.ok ? 'done' : 'findings'
}

/** Shows a counter on a terminal, and occasional lines elsewhere. */
function createProgress(host: Host, isQuiet: boolean) {
  let counter: Progress | undefined
  return {
    advance: ({ done, total, sequence }: VerifyProgress): void => {
      counter ??= host.startProgress('verifying', total, isQuiet)
      counter.advance()
      if (isQuiet || process.stderr.isTTY || done % LINE_INTERVAL !== 0) return
      host.writeNote(
        `verified ${host.formatCount(done)} of ${host.formatCount(total)} versions, up to sequence ${sequence}`,
      )
    },
    stop: () => counter?.stop(),
  }
}

function writeFault(host: Host, { name, checks }: CatalogFault): void {
  host.writeResult(`${host.styleResult('red', 'failed')} ${host.escapeControls(name)}\n`)
  for (const { name: check, message, hint } of checks) {
    host.writeResult(`  ${check}: ${host.escapeControls(message)}\n`)
    if (hint !== undefined) host.writeResult(`    hint: ${hint}\n`)
  }
}

function writeSummary(host: Host, { ok, versions, waitingSources, faults }: CatalogVerification): void {
  const what = `${host.formatCount(versions)} versions, ${host.formatCount(waitingSources)} sources without a version`
  const result = ok ? 'no damage' : `${host.formatCount(faults)} damaged`
  host.writeResult(`${host.styleResult(ok ? 'green' : 'red', ok ? 'ok' : 'failed')} ${what}: ${result}\n`)
}

function describeResult(found: CatalogVerification, listed: readonly CatalogFault[]): unknown {
  return {
    ok: found.ok,
    complete: found.isComplete,
    versions: found.versions,
    waiting_sources: found.waitingSources,
    damaged: found.faults,
    last_sequence: found.last,
    faults: listed,
    more_faults: found.faults - listed.length,
  }
}
