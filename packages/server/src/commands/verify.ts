import type { Verification, CatalogFault, CatalogVerification } from '@packs/publisher'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withReadOnlyCatalog,
  parseVersionName,
  requireCatalog,
  type ServiceUrls,
} from '../services/open-services.ts'
import { startLongWork } from '../services/service-process.ts'

const HELP = `
Checks the document like \`pack check\`, compares every catalog column that can be derived from it, from other versions or from its provenance, and compares the stored source with its recorded digest. The publishing time cannot be derived and is not checked.

--all checks every version, even yanked ones; of a purged one, that it has no text; one after another at low priority, and then the sources waiting to be published. Nothing is written. Damage does not end the run: each fault is printed, and the exit status is 1. An interrupted run prints the sequence number to continue after.

Examples:
  $ pack verify tls-basics@1.2.0`

interface VerifyCommandOptions {
  readonly all?: boolean
  readonly after?: number
  readonly quiet?: boolean
  readonly json?: boolean
}

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .argument('[version]', 'a version, as SLUG@VERSION')
    .option('--all', 'verify every version in the catalog')
    .option('--after <sequence>', 'with --all: continue an interrupted run', host.parseCount)
    .option('--quiet', 'with --all: print only damage')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const options = command.opts<VerifyCommandOptions>()
  const { after = 0, quiet = false, json = false } = options
  const [name] = command.args
  if (options.all) {
    if (name !== undefined) throw usageError('--all cannot be combined with a version', 'omit one of them')
    return verifyAll(host, readServiceUrls(command), { after, quiet, json })
  }
  if (after > 0 || quiet)
    throw usageError('--after and --quiet work only with --all', 'add --all, or omit them')
  if (name === undefined) throw usageError('no version was named', 'name one as SLUG@VERSION, or add --all')
  return verifyOne(command, host, name, json)
}

function usageError(message: string, hint: string): CommandError {
  return new CommandError('usage', message, hint)
}

async function verifyOne(command: Command, host: Host, name: string, json: boolean): Promise<Exit> {
  const { slug, version } = parseVersionName(name)
  const { verifyVersion } = await import('@packs/publisher')
  const found = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) =>
    verifyVersion(catalog, slug, version),
  )
  if (json) {
    const { ok, yanked, purged, checks, codecVersion } = found
    host.writeJson({ ok, slug, version, yanked, purged, codec_version: codecVersion, checks })
  } else showVerification(host, `${slug}@${version}`, found)
  return found.ok ? 'done' : 'findings'
}

function showVerification(host: Host, name: string, { ok, purged, checks }: Verification): void {
  const passed = checks.filter((check) => check.ok).length
  const result = host.styleResult(ok ? 'green' : 'red', ok ? 'ok' : 'failed')
  host.writeResult(
    `${result} ${name}  ${passed} of ${checks.length} checks${purged ? ', it was purged' : ''}\n`,
  )
  showFailed(host, checks)
}

function showFailed(host: Host, checks: Verification['checks']): void {
  for (const { name, ok, message, hint } of checks) {
    if (ok) continue
    host.writeResult(`  ${name}: ${host.escapeControls(message)}\n`)
    if (hint !== undefined) host.writeResult(`    hint: ${hint}\n`)
  }
}

/** Maximum faults listed with `--json`; `more_faults` counts the others. */
const MAX_LISTED = 1000

async function verifyAll(
  host: Host,
  urls: ServiceUrls,
  { after, quiet, json }: Required<Pick<VerifyCommandOptions, 'after' | 'quiet' | 'json'>>,
): Promise<Exit> {
  await requireCatalog(urls)
  const signal = startLongWork()
  const { verifyCatalog } = await import('@packs/publisher')
  const listed: CatalogFault[] = []
  const progress = host.startProgress('verifying', 0, quiet || json)
  const found = await withReadOnlyCatalog(host, urls, (catalog) =>
    verifyCatalog(catalog, {
      after,
      signal,
      onVersion: ({ done, total }) => progress.show(done, total),
      onFault(fault) {
        if (json) {
          if (listed.length < MAX_LISTED) listed.push(fault)
          return
        }
        host.writeResult(`${host.styleResult('red', 'failed')} ${host.escapeControls(fault.name)}\n`)
        showFailed(host, fault.checks)
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

function writeSummary(host: Host, { ok, versions, waitingSources, faults }: CatalogVerification): void {
  const waiting = waitingSources === 0 ? '' : ` and ${host.formatCount(waitingSources)} waiting sources`
  const what = `${host.formatCount(versions)} version${versions === 1 ? '' : 's'}${waiting}`
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
