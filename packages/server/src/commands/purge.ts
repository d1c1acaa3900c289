import type { Catalog, OutdatedVersion } from '@packs/catalog'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  parseVersionName,
  readOperator,
  readServiceUrls,
  withExistingCatalog,
} from '../services/open-services.ts'
import { startLongWork } from '../services/service-process.ts'
import { checkReason } from './yank.ts'

const HELP = `
Erases a version, or without a number all of a pack, for good: text, source, index, jobs, and what others quote of it. The number is never reused, and the API answers it with 410 and the reason. Exactly this source can no longer be published: change the text first. Backups, logs and files of the database keep copies; docs/operations/purge.md says which.

--keep purges what is old: all but the highest N versions of each pack, or of those that are named, and never the latest. It lists them; with --apply it purges them, after which their sources may be published again. Interrupt it at any time, and run it again.

Examples:
  $ pack purge tls-basics@1.2.0 --reason "has a password"
  $ pack purge --keep 20 --apply`

interface PurgeOptions {
  readonly reason?: string
  readonly keep?: number
  readonly apply?: boolean
  readonly json?: boolean
}

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .usage('[options] --reason <text> <name>\n       pack purge [options] --keep <n> [packs...]')
    .argument('[names...]', 'one version as SLUG@VERSION, or one pack; with --keep: any packs')
    .option('--reason <text>', 'reason shown to users of the version')
    .option('--keep <n>', 'purge all but the highest N versions of each pack', host.parseCount)
    .option('--apply', 'with --keep: purge them, instead of listing them')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const options = command.opts<PurgeOptions>()
  checkUsage(options, command.args)
  return withExistingCatalog(host, readServiceUrls(command), (catalog) =>
    options.keep === undefined
      ? purgeOne(host, catalog, command.args[0]!, options)
      : purgeOutdated(host, catalog, options, command.args),
  )
}

function checkUsage({ reason, keep, apply }: PurgeOptions, names: readonly string[]): void {
  const fail = (problem: string, hint: string): never => {
    throw new CommandError('usage', problem, hint)
  }
  if (keep === undefined || reason !== undefined) checkReason(reason)
  if (keep === 0) fail('--keep is 0', 'to purge all of a pack, name it and give a --reason')
  if (keep !== undefined && names.some((name) => name.includes('@')))
    fail('--keep takes packs, not versions', 'omit the @VERSION')
  if (keep === undefined && apply) fail('--apply works only with --keep', 'omit it')
  if (keep === undefined && names.length !== 1)
    fail('no version was named, or several', 'name one as SLUG@VERSION, or a pack')
}

async function purgeOne(
  host: Host,
  { packs }: Catalog,
  name: string,
  { reason = '', json }: PurgeOptions,
): Promise<Exit> {
  const { slug, version } = name.includes('@') ? parseVersionName(name) : { slug: name, version: undefined }
  const request = { slug, versions: version === undefined ? undefined : [version], reason }
  const result = await packs.purge({ ...request, actor: readOperator() }).catch(async (error: unknown) => {
    const { CatalogError, listSimilarPacks } = await import('@packs/catalog')
    const { code, message } = error as InstanceType<typeof CatalogError>
    const similar = code === 'unknown_pack' ? await listSimilarPacks(packs, slug) : []
    if (similar.length === 0) throw error
    throw new CatalogError(code, message, `Packs with such names: ${similar.join(', ')}.`)
  })
  const { purged, before, latest, warnings } = result
  if (json) host.writeJson({ ok: true, slug, ...result })
  else {
    for (const one of purged) host.writeLine(`${host.styleResult('green', 'purged')} ${slug}@${one}`)
    for (const one of before)
      host.writeLine(
        `${slug}@${one.version} was purged on ${one.purged_at}: ${host.escapeControls(one.reason)}`,
      )
    if (before.some((one) => one.reason !== reason))
      host.writeNote('note: the new reason was not stored, because a purge keeps its first one')
    host.writeLine(latest === null ? '  no version is shown any more' : `  latest is ${slug}@${latest}`)
    for (const warning of warnings) host.writeNote(`warning: ${warning}`)
    if (purged.length > 0) host.writeNote('for copies in backups and elsewhere, see docs/operations/purge.md')
  }
  return 'done'
}

/** Versions that are purged in one transaction. */
const BATCH = 50

async function purgeOutdated(
  host: Host,
  { packs }: Catalog,
  {
    keep = 1,
    apply = false,
    json = false,
    reason = keep === 1 ? 'only the highest version is kept' : `only the highest ${keep} versions are kept`,
  }: PurgeOptions,
  slugs: readonly string[],
): Promise<Exit> {
  const found = await packs.outdated({ keep, slugs })
  const actor = readOperator()
  const signal = apply ? startLongWork() : undefined
  const progress = host.startProgress('purging', found.length, json || !apply)
  let done = 0
  try {
    for (const [slug, outdated] of Map.groupBy(apply ? found : [], (one) => one.slug))
      for (let at = 0; at < outdated.length && !signal?.aborted; at += BATCH) {
        const versions = outdated.slice(at, at + BATCH).map(({ version }) => version)
        await packs.purge({ slug, versions, reason, actor, allowsSource: true })
        progress.show((done += versions.length), found.length)
      }
  } finally {
    progress.stop()
  }
  showOutdated(host, apply ? found.slice(0, done) : found, apply, json)
  if (!apply || done === found.length) return 'done'
  host.writeNote('interrupted: run it again to continue')
  return 'interrupted'
}

function showOutdated(host: Host, found: readonly OutdatedVersion[], applied: boolean, json: boolean): void {
  const packs = [...Map.groupBy(found, ({ slug }) => slug)].map(([slug, outdated]) => ({
    slug,
    versions: outdated.map(({ version }) => version),
    bytes: outdated.reduce((sum, { bytes }) => sum + bytes, 0),
  }))
  const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0)
  if (json) return host.writeJson({ ok: true, applied, versions: found.length, bytes, packs })
  if (found.length === 0) return host.writeLine('no version is old enough to purge')
  const count = (number: number, noun: string): string =>
    `${host.formatCount(number)} ${noun}${number === 1 ? '' : 's'}`
  for (const pack of packs)
    host.writeLine(`${pack.slug}: ${pack.versions.join(', ')} (${count(pack.bytes, 'byte')})`)
  const all = `${count(found.length, 'version')} of ${count(packs.length, 'pack')}`
  host.writeLine(`${applied ? 'purged' : 'to purge'}: ${all}, ${count(bytes, 'byte')}`)
  if (!applied) host.writeNote('nothing was purged: add --apply')
}
