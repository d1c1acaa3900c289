import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { VersionLine } from '@packs/client'
import { serializePack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { Command } from 'commander'
import { usageError } from '../../cli-error.ts'
import { checkSource } from '../../input/read-pack.ts'
import { mapInTurn } from '../../output/progress.ts'
import { writeJson, writeNote, formatNumber } from '../../output/terminal.ts'
import { makeOutputFolder, writeGenerated } from '../../output/write-file.ts'
import {
  findLock,
  readPins,
  addCatalogOption,
  CATALOG_HELP,
  openCatalog,
  type LockOptions,
  requireCached,
  restorePack,
} from '../../lock/pinned-packs.ts'
import { listYanked, notePreviews, warnYanked } from '../../pins/resolve-pins.ts'

const HELP = `
Restores the packs of packs.lock, exactly these versions, into the cache folder of the user, from which \`pack prompt\` and clients with a lock read. Packs that are cached need no catalog; of others, it says if they were yanked. A pack with other digests than those of the lock is refused, and so is one that was purged: its copy is deleted, in the cache and in the folder of --out. The lock is not changed. ${CATALOG_HELP}

Examples:
  $ pack install --out packs/     also write packs/<slug>.pack.json`

export function configure(command: Command): void {
  addCatalogOption(command)
    .option('--lock <path>', 'lock to read; default: packs.lock beside package.json')
    .option('--out <folder>', 'also write the packs as files into this folder')
    .option('--strict', 'fail if the list of purged versions is over a day old and cannot be read')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<void> {
  const options = command.opts<LockOptions & { out?: string; strict?: boolean }>()
  const { out } = options
  if (out === '') throw usageError('the folder after --out is empty', 'name a folder')
  const place = findLock(options.lock)
  const lock = await readPins(place)
  const catalog = await openCatalog({ ...options, readsPurges: true }, lock)
  const slugs = Object.keys(lock.packs)
  const yanked: [string, VersionLine][] = []
  const packs = await mapInTurn('restoring packs', slugs, options.json ?? false, async (slug) => {
    const pin = lock.packs[slug]!
    if (pin.preview_sha256 !== undefined) {
      const { version } = await catalog.get(slug)
      return { slug, version, pack_digest: null, status: 'preview', file: null, yanked: false }
    }
    const { pack, status } = await restorePack(catalog, lock, slug).catch((error: Error) => {
      const isPurged = out !== undefined && 'code' in error && error.code === 'purged_version'
      if (isPurged) rmSync(join(out, `${slug}.pack.json`), { force: true })
      throw error
    })
    await checkSource(pack, slug)
    if (out === undefined) await requireCached(catalog, pack)
    const file = out === undefined ? null : writePack(pack, out)
    // Cached packs need no catalog, so no request is made for them.
    const [line] = status === 'cached' ? [] : await listYanked(catalog, `${slug}@${pack.version}`)
    if (line !== undefined) yanked.push([slug, line])
    const { version, pack_digest } = pack
    return { slug, version, pack_digest, status, file, yanked: line !== undefined }
  })
  const downloaded = packs.filter(({ status }) => status === 'downloaded').length
  if (options.json) writeJson({ ok: true, lock: place.shown, packs })
  else {
    for (const [slug, line] of yanked) warnYanked(slug, line)
    const where = out === undefined ? '' : `, written to ${out}`
    const whole = formatNumber(packs.filter(({ status }) => status !== 'preview').length, 'pack')
    writeNote(`restored ${whole} of ${place.shown}, ${downloaded} downloaded${where}`)
    notePreviews(Object.values(lock.packs))
  }
}

function writePack(pack: Pack, folder: string): string {
  const file = join(folder, `${pack.slug}.pack.json`)
  makeOutputFolder(folder)
  writeGenerated(file, Buffer.from(serializePack(pack)), file)
  return file
}
