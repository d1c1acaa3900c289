import type { Lock } from '@packs/client'
import { parseRange } from '@packs/codec/internal'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../../cli-error.ts'
import { writeJson, writeNote, writeResult, writeWarning, formatNumber } from '../../output/terminal.ts'
import {
  findLock,
  findPin,
  readPins,
  choosePins,
  addCatalogOption,
  CATALOG_HELP,
  openCatalog,
  type LockOptions,
} from '../../lock/pinned-packs.ts'
import {
  notePreviews,
  describePin,
  formatPins,
  isSame,
  resolvePins,
  type ResolvedPin,
  warnYanked,
  writePins,
} from '../../pins/resolve-pins.ts'

const HELP = `
Pins the newest version in the range of each pack. --latest pins the newest version of all; where it is not in the range, the range becomes ^ and that version. If one pack fails, none is changed. Where a signer is pinned, the new version must be signed by it. A pin that was yanked stays, with a warning, if nothing else is in its range. --dry-run changes nothing, and the exit status is 1 if there is something to change. ${CATALOG_HELP}

Examples:
  $ pack update tls-certificates --latest`

export function configure(command: Command): void {
  addCatalogOption(command.argument('[names...]', 'slugs of packs in the lock; default: all'))
    .option('--latest', 'also leave the range, which moves to the new version')
    .option('--dry-run', 'show what would be pinned, and change nothing')
    .option('--lock <path>', 'lock to change; default: packs.lock beside package.json')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<LockOptions & { latest?: boolean; dryRun?: boolean }>()
  const place = findLock(options.lock)
  const lock = await readPins(place)
  const slugs = await choosePins(lock, command.args, place)
  const catalog = await openCatalog({ ...options, readsPurges: true })
  const { latest, dryRun: isPlan = false } = options
  const requests = slugs.map((pack) => ({ pack, range: latest ? undefined : lock.packs[pack]!.range }))
  const found = await resolvePins(catalog, requests, options.json ?? false, {
    lock,
    signerOf: (slug) => findPin(lock, slug)?.signer,
  })
  const wanted = await keepRanges(found, lock)
  const changes = await writePins(place, (current) => listCurrent(wanted, lock, current), isPlan)
  const changed = changes.filter(({ pin, before }) => !isSame(pin, before))
  const status = isPlan && changed.length > 0 ? exitStatus.findings : exitStatus.done
  if (options.json) {
    const document = { lock: place.shown, ...(isPlan && { dry_run: true }), packs: changes.map(describePin) }
    writeJson({ ok: status === exitStatus.done, ...document })
    return status
  }
  for (const { slug, pin, before, yanked, older } of changes) {
    if (yanked !== undefined) warnYanked(slug, yanked)
    if (older !== undefined) writeWarning(`${slug} ${before?.version} → ${pin.version}, older: ${older}`)
  }
  if (changed.length > 0) writeResult(`${formatPins(changed).join('\n')}\n`)
  const rest = changes.length - changed.length
  const verb = isPlan ? 'would update' : 'updated'
  writeNote(`${verb} ${formatNumber(changed.length, 'pack')} in ${place.shown}, ${rest} unchanged`)
  notePreviews(changes.map(({ pin }) => pin))
  return status
}

/** A range that has the new version stays as the author wrote it. */
async function keepRanges(found: readonly ResolvedPin[], lock: Lock): Promise<ResolvedPin[]> {
  return found.map((one) => {
    const { slug, pin } = one
    const range = findPin(lock, slug)?.range
    const isKept = range !== undefined && parseRange(range).contains(pin.version)
    return isKept ? { ...one, pin: { ...pin, range } } : one
  })
}

/** Pins that another program has changed or removed meanwhile remain as it left them. */
function listCurrent(found: readonly ResolvedPin[], read: Lock, current: Lock): ResolvedPin[] {
  return found.filter(({ slug }) => {
    const before = findPin(current, slug)
    return before !== undefined && isSame(before, findPin(read, slug))
  })
}
