import { readLock } from '@packs/client/node'
import { isKey, parsePackName } from '@packs/codec/internal'
import type { Command } from 'commander'
import { usageError } from '../../cli-error.ts'
import { writeJson, writeNote, writeResult, formatNumber } from '../../output/terminal.ts'
import {
  findLock,
  findPin,
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
  warnYanked,
  writePins,
} from '../../pins/resolve-pins.ts'

const HELP = `
Finds the newest version in the range, downloads and verifies it, and writes version and digests into packs.lock, beside the nearest package.json. Without a range, the range is ^ and the version that was found. If one pack fails, none is pinned. A version that was yanked is pinned only where it is named, as in slug@1.2.3, with a warning.

A pack that is signed is pinned with its signer: later versions must be signed by the same key. That of the first use is taken as it comes; compare its id with what the publisher says, or name it with --signer. --signer also replaces the signer of a pin, after the publisher has changed keys. Unsigned packs are pinned too, and shown so. ${CATALOG_HELP}

Examples:
  $ pack add tls-certificates@^1 http-status-codes`

export function configure(command: Command): void {
  addCatalogOption(command.argument('<names...>', 'packs: slug, slug@range, or id'))
    .option('--lock <path>', 'lock to write; default: packs.lock beside package.json')
    .option('--signer <id>', 'pin packs only if this key signed them')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const options = command.opts<LockOptions & { signer?: string }>()
  const names = command.args.map((name) => parsePackName(name))
  const twice = names.find(({ pack }, index) => names.findIndex((name) => name.pack === pack) < index)
  if (twice !== undefined)
    throw usageError(`${twice.pack} is named twice`, 'name each pack once, with one range')
  const { signer } = options
  if (signer !== undefined && !isKey(signer))
    throw usageError('--signer is not the id of a key', 'it has 43 characters; see `pack signers --help`')
  const place = findLock(options.lock)
  // It is checked before packs are requested for it.
  const lock = await readLock(place.path, place.shown)
  const catalog = await openCatalog({ ...options, isFresh: true, readsPurges: true })
  const signerOf = (slug: string): string | undefined => signer ?? (lock && findPin(lock, slug)?.signer)
  const found = await resolvePins(catalog, names, options.json ?? false, { signerOf })
  const changes = await writePins(place, () => found)
  if (options.json) writeJson({ ok: true, lock: place.shown, packs: changes.map(describePin) })
  else {
    for (const { slug, yanked } of changes)
      if (yanked !== undefined) warnYanked(slug, yanked, 'pinned, because this version was named')
    writeResult(`${formatPins(changes).join('\n')}\n`)
    const changed = changes.filter(({ pin, before }) => !isSame(pin, before)).length
    const done = `pinned ${formatNumber(changed, 'pack')} in ${place.shown}`
    writeNote(changed === 0 ? `${place.shown} has these pins` : done)
    notePreviews(changes.map(({ pin }) => pin))
  }
}
