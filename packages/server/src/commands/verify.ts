import type { Verification } from '@packs/publisher'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withReadOnlyCatalog,
  parseVersionName,
} from '../services/open-services.ts'

const HELP = `
Checks the document like \`pack check\`, compares every catalog column that can be derived from it, from other versions or from
its provenance, and compares the stored source with its recorded digest. The publishing time cannot be derived and is not
checked.

--all checks every version, even yanked ones, one after another at low priority, and then the sources waiting to be published.
Nothing is written. Damage does not end the run: each fault is printed, and the exit status is 1. An interrupted run prints the
sequence number to continue after.

Examples:
  $ pack verify tls-basics@1.2.0
  $ pack verify tls-basics@1.2.0 --json
  $ pack verify --all --quiet
  $ pack verify --all --after 5000`

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
    const { verifyAll } = await import('../verify/verify-all.ts')
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
    const { ok, yanked, checks, codecVersion } = found
    host.writeJson({ ok, slug, version, yanked, codec_version: codecVersion, checks })
  } else showVerification(host, `${slug}@${version}`, found)
  return found.ok ? 'done' : 'findings'
}

function showVerification(host: Host, name: string, { ok, checks }: Verification): void {
  const passed = checks.filter((check) => check.ok).length
  host.writeResult(
    `${host.styleResult(ok ? 'green' : 'red', ok ? 'ok' : 'failed')} ${name}  ${passed} of ${checks.length} checks\n`,
  )
  for (const check of checks.filter(({ ok: isOk }) => !isOk)) {
    host.writeResult(`  ${check.name}: ${host.escapeControls(check.message)}\n`)
    if (check.hint !== undefined) host.writeResult(`    hint: ${check.hint}\n`)
  }
}
