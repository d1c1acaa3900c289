import type { Pin } from '@packs/client'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../../cli-error.ts'
import { formatTable, writeJson, writeNote, writeResult } from '../../output/terminal.ts'
import { mapInTurn } from '../../output/progress.ts'
import {
  findLock,
  readPins,
  choosePins,
  addCatalogOption,
  CATALOG_HELP,
  openCatalog,
  type LockOptions,
  type OpenCatalog,
} from '../../lock/pinned-packs.ts'
import { countPacks, warnYanked } from '../../pins/resolve-pins.ts'

const HELP = `
Lists the packs of the lock that have a newer version: wanted is the newest in the range, latest the newest of all. Exit status 1 if
there are any. Yanked versions count for neither; a pin that was yanked and has no other version is a warning. A pin whose digest differs from that of the catalog is listed too, and one whose
signer has not signed the pinned or the wanted version.
${CATALOG_HELP}

Examples:
  $ pack outdated
  $ pack outdated --json`

export function configure(command: Command): void {
  addCatalogOption(command.argument('[names...]', 'slugs of packs in the lock; default: all'))
    .option('--lock <path>', 'lock to read; default: packs.lock beside package.json')
    .addHelpText('after', HELP)
}

/** A pin, and the versions that the catalog has. */
interface Row {
  readonly slug: string
  readonly range: string
  readonly pinned: string
  /** Null if no version is in the range. */
  readonly wanted: string | null
  readonly latest: string | null
  readonly yanked: boolean
  readonly yanked_reason: string | null
  /** Whether the catalog has another pack under the pinned version. */
  readonly mismatch: boolean
  /**
   * Whether the catalog says that the pinned signer has not signed the pinned or the wanted
   * version.
   */
  readonly signer_mismatch: boolean
  readonly outdated: boolean
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<LockOptions>()
  const place = findLock(options.lock)
  const lock = await readPins(place)
  const slugs = await choosePins(lock, command.args, place)
  const catalog = await openCatalog(options)
  const rows = await mapInTurn('comparing packs', slugs, options.json ?? false, (slug) =>
    compare(catalog, slug, lock.packs[slug]!),
  )
  const outdated = rows.filter((row) => row.outdated || row.mismatch || row.signer_mismatch)
  const yanked = rows.filter((row) => row.yanked && !outdated.includes(row))
  if (!options.json) for (const row of yanked) warnYanked(row.slug, { ...row, version: row.pinned })
  if (options.json) writeJson({ ok: outdated.length === 0, lock: place.shown, packs: rows })
  else if (outdated.length === 0) writeNote(`${countPacks(rows.length)} in ${place.shown}, none outdated`)
  else writeResult(`${formatRows(outdated).join('\n')}\n`)
  return outdated.length === 0 ? exitStatus.done : exitStatus.findings
}

async function compare(catalog: OpenCatalog, slug: string, pin: Pin): Promise<Row> {
  const { chooseVersion } = await import('@packs/codec/verify')
  const { range, version: pinned } = pin
  const versions = await catalog.versions(slug)
  const current = versions.filter(({ yanked }) => !yanked)
  const wanted = chooseVersion(current, range)?.version ?? null
  const latest = chooseVersion(current)?.version ?? null
  const line = versions.find(({ version }) => version === pinned)
  const { yanked = false, yanked_reason = null } = line ?? {}
  const mismatch = line !== undefined && (line.sha256 !== pin.sha256 || (await isOther(catalog, slug, pin)))
  const outdated = [wanted, latest].some((version) => version !== null && version !== pinned)
  const signer_mismatch = versions.some(
    ({ version, signers }) =>
      pin.signer !== undefined &&
      (version === pinned || version === wanted) &&
      Array.isArray(signers) &&
      !signers.includes(pin.signer),
  )
  return { slug, range, pinned, wanted, latest, yanked, yanked_reason, mismatch, signer_mismatch, outdated }
}

/**
 * Tells whether the pinned version has another digest. Once downloaded, the check needs no request.
 */
async function isOther(catalog: OpenCatalog, slug: string, { version, pack_digest }: Pin): Promise<boolean> {
  const pack = await catalog.get(`${slug}@${version}`)
  // Previews do not verify a digest.
  return !pack.preview && pack.pack_digest !== pack_digest
}

function formatRows(rows: readonly Row[]): string[] {
  return formatTable(
    ['pack', 'range', 'pinned', 'wanted', 'latest', ''],
    rows.map(({ slug, range, pinned, wanted, latest, yanked, mismatch, signer_mismatch }) => {
      return [
        slug,
        range,
        pinned,
        wanted ?? 'none',
        latest ?? 'none',
        mismatch
          ? 'the catalog has another digest (lock_mismatch)'
          : signer_mismatch
            ? 'the pinned signer has not signed it (signer_mismatch)'
            : yanked
              ? 'pinned version is yanked'
              : '',
      ]
    }),
  )
}
