import type { ClientError, FullPack, Lock, Pin, PreviewPack, VersionLine } from '@packs/client'
import { compareVersions, computeSavingsPercent, digestText } from '@packs/codec/internal'
import {
  changePins,
  findPin,
  type LockLocation,
  type OpenCatalog,
  previewOnlyError,
  readPins,
} from '../lock/pinned-packs.ts'
import { checkSource } from '../input/read-pack.ts'
import { mapInTurn } from '../output/progress.ts'
import {
  writeNote,
  writeWarning,
  formatCount,
  formatPercent,
  formatTable,
  formatNumber,
} from '../output/terminal.ts'

interface PinRules {
  /** Pins that stay where they were yanked and nothing else is in their range. */
  readonly lock?: Lock
  /** The key that must have signed a pack; undefined for the key that did, or none. */
  readonly signerOf: (slug: string) => string | undefined
}

export interface ResolvedPin {
  readonly slug: string
  readonly pin: Pin
  /** SHA-256 of its preview, if it was read. */
  readonly preview?: string
  /** The version, if it was yanked: it is pinned because it was before, or because it was named. */
  readonly yanked?: VersionLine | undefined
  /** Why the pin is older than the one before. */
  readonly older?: string | undefined
}

/**
 * Finds, downloads and verifies the newest versions in the ranges, up to the first error. A signed
 * pack is pinned with its signer. A range of one version matches it even if it was yanked.
 * @param requests slugs or ids; the default range is `^` and the newest version
 */
export async function resolvePins(
  catalog: OpenCatalog,
  requests: readonly { readonly pack: string; readonly range: string | undefined }[],
  isQuiet: boolean,
  { lock, signerOf }: PinRules,
): Promise<ResolvedPin[]> {
  const { createPin, ClientError } = await import('@packs/client')
  return mapInTurn('resolving packs', requests, isQuiet, async ({ pack: name, range }) => {
    const pin = lock && findPin(lock, name)
    const wanted = range === undefined ? name : `${name}@${range}`
    try {
      const pack = await getSigned(catalog, wanted, signerOf)
      if (!pack.preview) await checkSource(pack, pack.slug)
      const preview = digestText(pack.preview ? pack.content : pack.preview_content)
      const signer = pack.preview ? null : pack.signer
      const [yanked] = range === pack.version ? await listYanked(catalog, wanted) : []
      const isOlder = pin !== undefined && compareVersions(pack.version, pin.version) < 0
      const older = isOlder ? await explainOlder(catalog, name, pin.version) : undefined
      const created = createPin(pack, range ?? `^${pack.version}`, signer)
      return { slug: pack.slug, pin: created, preview, yanked, older }
    } catch (error) {
      const isNone = ['no_matching_version', 'pack_not_found'].includes((error as { code?: string }).code!)
      const purged = isNone && pin && (await findPurge(catalog, `${name}@${pin.version}`))
      if (purged) throw purged
      const lines = isNone ? await listYanked(catalog, wanted) : []
      const yanked = lines.find(({ version }) => version === pin?.version)
      if (yanked !== undefined) return { slug: name, pin: pin!, yanked }
      const [newest] = lines
      if (newest === undefined) throw error
      const which = range === undefined ? name : `${name} in the range ${range}`
      const message = `every version of ${which} was yanked; the newest: ${newest.version}${formatReason(newest)}`
      const hint = `to pin it all the same, name the version: \`pack add ${name}@${newest.version}\``
      throw new ClientError('no_matching_version', message, hint, { cause: error })
    }
  })
}

async function findPurge({ get }: OpenCatalog, name: string): Promise<ClientError | undefined> {
  const refusal = await get(name).catch((error: ClientError) => error)
  return 'hint' in refusal && refusal.code === 'purged_version' ? refusal : undefined
}

/** Says in words why a version that was pinned is not found any more. */
async function explainOlder(catalog: OpenCatalog, slug: string, version: string): Promise<string> {
  const [line] = await listYanked(catalog, `${slug}@${version}`)
  if (line !== undefined) return `${version} was yanked${formatReason(line)}`
  const purge = await findPurge(catalog, `${slug}@${version}`)
  return purge?.message.replace(`${slug}@`, '') ?? `${version} is not offered any more`
}

/** Highest first; none if the catalog does not say. */
export async function listYanked({ versions }: OpenCatalog, name: string): Promise<readonly VersionLine[]> {
  const { ClientError } = await import('@packs/client')
  try {
    return (await versions(name)).filter(({ yanked }) => yanked)
  } catch (error) {
    if (error instanceof ClientError) return []
    throw error
  }
}

type YankedVersion = Pick<VersionLine, 'version' | 'yanked_reason'>

const KEPT = 'still installed, because it is pinned'

export function warnYanked(slug: string, line: YankedVersion, why: string = KEPT): void {
  writeWarning(`${slug} ${line.version} was yanked${formatReason(line)}; it is ${why}`)
}

function formatReason({ yanked_reason }: Pick<YankedVersion, 'yanked_reason'>): string {
  return yanked_reason ? ` (${yanked_reason})` : ''
}

/** The pin of a pack is found by its slug, which is known only then if it was named by its id. */
async function getSigned(
  catalog: OpenCatalog,
  name: string,
  signerOf: PinRules['signerOf'],
): Promise<FullPack | PreviewPack> {
  const pack = await getPack(catalog, name, signerOf(name.split('@')[0]!))
  const signer = signerOf(pack.slug)
  return signer === undefined || (!pack.preview && signer === pack.signer)
    ? pack
    : getPack(catalog, name, signer)
}

/** A copy that the catalog has not confirmed may not be the newest version of its range. */
async function getPack(
  catalog: OpenCatalog,
  name: string,
  signer: string | undefined,
): Promise<FullPack | PreviewPack> {
  const { ClientError } = await import('@packs/client')
  const pack = await catalog.get(name, signer)
  if (pack.stale) {
    const message = `the catalog cannot be reached, so the newest version of ${pack.slug} is not known`
    throw new ClientError('unreachable', message, 'try again later; pinned packs can be used meanwhile')
  }
  return pack
}

/**
 * A published version never changes, so a pin is not replaced by one of the same version with
 * another digest.
 * @param choose gets the lock as it is then, and returns the pins to write
 * @param isPlan only tells what would be written
 */
export async function writePins(
  location: LockLocation,
  choose: (lock: Lock) => readonly ResolvedPin[],
  isPlan = false,
): Promise<readonly ChangedPin[]> {
  let changes: readonly ChangedPin[] = []
  let refused: ChangedPin | undefined
  const change = (lock: Lock): Lock => {
    changes = choose(lock).map((one) => ({ ...one, before: findPin(lock, one.slug) }))
    refused = changes.find(isRefused)
    if (refused !== undefined) return lock
    const pins = changes.map(({ slug, pin }) => [slug, pin] as const)
    return { ...lock, packs: { ...lock.packs, ...Object.fromEntries(pins) } }
  }
  if (isPlan) change(await readPins(location))
  else await changePins(location, change)
  if (refused !== undefined) throw await otherPackError(refused, location)
  return changes
}

/** A pin of a whole pack stays one. Of a pin of a preview, only the preview can be compared. */
function isRefused({ pin, before, preview = pin.preview_sha256 }: ChangedPin): boolean {
  const isSameVersion = pin.version === before?.version
  if (before?.pack_digest === undefined) return isSameVersion && before.preview_sha256 !== preview
  return pin.pack_digest === undefined || (isSameVersion && pin.pack_digest !== before.pack_digest)
}

async function otherPackError(
  { slug, pin, before, preview }: ChangedPin,
  { shown }: LockLocation,
): Promise<Error> {
  if (before?.pack_digest !== undefined && pin.pack_digest === undefined) return previewOnlyError(slug)
  const { ClientError } = await import('@packs/client')
  const pinned = (before?.preview_sha256 ?? before?.pack_digest)?.slice(0, 12)
  const found = (before?.pack_digest ? pin.pack_digest : preview)?.slice(0, 12)
  return new ClientError(
    'lock_mismatch',
    `${shown} pins ${slug} ${pin.version} with the digest ${pinned}…, but that of the catalog is ${found}…; a published version never changes`,
    `restore ${shown} from version control; if the catalog is right, run \`pack remove ${slug}\` and \`pack add ${slug}\``,
  )
}

interface ChangedPin extends ResolvedPin {
  readonly before: Pin | undefined
}

export function formatPins(changes: readonly ChangedPin[]): string[] {
  const rows = changes.map(({ slug, pin, before }) => [
    slug,
    before === undefined || before.version === pin.version
      ? pin.version
      : `${before.version} → ${pin.version}`,
    pin.range,
    formatCount(countTokens(pin)),
    formatPercent(computeSavings(pin)),
    pin.preview_sha256 === undefined ? (pin.signer ?? 'unsigned') : 'preview only',
  ])
  return formatTable(['pack', 'version', 'range', '>tokens', '>saved', 'signer'], rows)
}

export function describePin({ slug, pin, before, yanked, older }: ChangedPin): Record<string, unknown> {
  const status = before === undefined ? 'added' : isSame(pin, before) ? 'unchanged' : 'changed'
  const fields = { slug, status, ...pin, signer: pin.signer ?? null, net_savings_pct: computeSavings(pin) }
  return { ...fields, before: before?.version ?? null, yanked: yanked !== undefined, older: older ?? null }
}

/** Tells whether two pins are equal, range and signer included. */
export function isSame(pin: Pin, other: Pin | undefined): boolean {
  const fields = ['version', 'pack_digest', 'preview_sha256', 'range', 'signer'] as const
  return other !== undefined && fields.every((field) => pin[field] === other[field])
}

/** Says of which packs a lock does not pin the whole, and how that changes. */
export function notePreviews(pins: readonly Pin[]): void {
  const count = pins.filter(({ preview_sha256 }) => preview_sha256 !== undefined).length
  const fact = `of ${formatNumber(count, 'pack')} only version and preview are pinned`
  if (count > 0) writeNote(`${fact}; with the key of a Pro account, \`pack update\` pins the whole`)
}

function countTokens({ token_count, rosetta_tokens }: Pin): number {
  return token_count + rosetta_tokens
}

function computeSavings(pin: Pin): number {
  return computeSavingsPercent(countTokens(pin), pin.uncompressed_estimate)
}
