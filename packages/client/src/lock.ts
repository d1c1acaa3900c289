import {
  digestText,
  findDuplicateMember,
  isKey,
  parsePackName,
  parseRange,
  VERSION_PATTERN,
  type VersionError,
} from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { fits, type Shape } from './shapes.ts'
import { checkSigner, LockError } from './signer.ts'

/** The pins of `packs.lock`. Slugs are sorted. */
export interface Lock {
  readonly lockfile_version: 1
  readonly packs: Readonly<Record<string, Pin>>
}

/** The version of a pack to use, whatever is published later. */
export interface Pin {
  /** Range that the version was chosen from. */
  readonly range: string
  readonly version: string
  /** `pack_digest` of the pack document. A pin has it, with `sha256`, or `preview_sha256`. */
  readonly pack_digest?: string | undefined
  /** SHA-256 of the source. */
  readonly sha256?: string | undefined
  /** SHA-256 of the preview, if a Free account pinned it: nothing else of the text is pinned. */
  readonly preview_sha256?: string | undefined
  /** Tokens of content and header, and of the source; all as the pack counts them. */
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
  /** Of the key that must have signed it; absent if any pack with these digests will do. */
  readonly signer?: string | undefined
}

type Counts = Pick<Pack, 'version' | 'token_count' | 'rosetta_tokens' | 'uncompressed_estimate'>
/** What a pin says of a whole pack, or of a preview. */
type PinnedPack = Counts & {
  readonly preview?: boolean | undefined
  readonly content?: string
  readonly pack_digest?: string | undefined
  readonly sha256?: string | null | undefined
}

/**
 * Creates the pin of a pack.
 * @param range range that its version was chosen from
 * @param signer id of the key that must have signed it, even after an update
 * @example
 * const pin = createPin(await client.packs.get('tls-certificates@^1'), '^1')
 */
export function createPin(pack: PinnedPack, range: string, signer?: string | null): Pin {
  const { preview, content = '', sha256, ...fields } = pack
  return preview
    ? writePin({ ...fields, pack_digest: undefined, preview_sha256: digestText(content), range })
    : writePin({ ...fields, sha256: sha256!, range, signer: signer ?? undefined })
}

/** Puts the fields in the order of the file. */
function writePin({ range, version, signer, ...pin }: Pin): Pin {
  const { pack_digest, sha256, preview_sha256, token_count, rosetta_tokens, uncompressed_estimate } = pin
  const digests = preview_sha256 === undefined ? { pack_digest, sha256 } : { preview_sha256 }
  const counts = { token_count, rosetta_tokens, uncompressed_estimate }
  return { range, version, ...digests, ...counts, ...(signer && { signer }) }
}

/**
 * Finds the pin of a pack.
 * @param name slug, or slug@range
 * @throws {LockError} `not_in_lock`, or the pinned version is not in the range
 * @throws {VersionError}
 * @example
 * const { slug, pin } = findPin(lock, 'tls-certificates@^1')
 */
export function findPin(lock: Lock, name: string): { readonly slug: string; readonly pin: Pin } {
  const { pack: slug, range = '*' } = parsePackName(name)
  // A slug may be the name of a property of every object.
  const pin = Object.hasOwn(lock.packs, slug) ? lock.packs[slug] : undefined
  if (pin !== undefined && parseRange(range).contains(pin.version)) return { slug, pin }
  const found = pin ? `: it has ${pin.version}, which is not in the range ${range}` : ''
  throw new LockError('not_in_lock', `${slug} is not in the lock${found}`)
}

/**
 * @param pack with verified signatures, as `verifyPack` returns it
 * @throws {LockError} `lock_mismatch`, `signer_mismatch`
 */
export function checkPin(
  slug: string,
  pin: Pin,
  pack: PinnedPack & Pick<Pack, 'slug'> & Partial<Pick<Pack, 'signatures' | 'preview_content'>>,
): void {
  const { range, signer } = pin
  const preview = { ...pack, preview: true, content: pack.preview ? pack.content! : pack.preview_content! }
  const found = createPin(pin.preview_sha256 === undefined ? pack : preview, range, signer)
  const isSame = JSON.stringify(writePin(pin)) === JSON.stringify(found)
  if (!isSame || pack.slug !== slug)
    throw new LockError('lock_mismatch', `${slug} ${pin.version} is not the pack that the lock pins`)
  checkSigner(pack, pin.signer === undefined ? undefined : [pin.signer])
}

/**
 * Parses the text of a `packs.lock`.
 * @throws {LockError} `invalid_lock`, which names the position
 * @example
 * const client = createClient({ lock: parseLock(text), cache })
 */
export function parseLock(text: string): Lock {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const line = findConflict(text)
    if (line === undefined) throw invalidLockError('it is not JSON', cause)
    const message = `The lock cannot be used: line ${line} is a git conflict marker`
    throw new LockError('invalid_lock', message, undefined, CONFLICT_HINT)
  }
  if (findDuplicateMember(text) !== undefined) throw invalidLockError('it has two members of one name')
  return checkLock(value)
}

const CONFLICT_HINT =
  'Take one side (git checkout --ours packs.lock, or --theirs), then run pack add for each pack that only the other side pins.'

/** The line of the first conflict marker, from 1; undefined if there is none. */
export function findConflict(text: string): number | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^(?:[<|>]{7}(?: |\r?$)|={7}\r?$)/.test(line))
  return at < 0 ? undefined : at + 1
}

/**
 * Serializes a lock: sorted slugs, two spaces, a final newline. The same pins give the same text.
 * @example
 * await writeFile('packs.lock', serializeLock({ lockfile_version: 1, packs: { [pack.slug]: pin } }))
 */
export function serializeLock(lock: Lock): string {
  const slugs = Object.keys(lock.packs).toSorted((a, b) => (a < b ? -1 : 1))
  const packs = Object.fromEntries(slugs.map((slug) => [slug, writePin(lock.packs[slug]!)]))
  return `${JSON.stringify({ lockfile_version: 1, packs }, null, 2)}\n`
}

/** @throws {LockError} `invalid_lock`, which names the position */
export function checkLock(value: unknown): Lock {
  if (!fits(value, { lockfile_version: 'number', packs: 'object' }) || (value as Lock).lockfile_version !== 1)
    throw invalidLockError('lockfile_version is not 1, or packs is missing')
  const lock = value as Lock
  for (const [slug, pin] of Object.entries(lock.packs)) {
    const fault = findFault(slug, pin)
    if (fault !== undefined) throw invalidLockError(`packs[${JSON.stringify(slug.slice(0, 100))}]${fault}`)
  }
  return lock
}

const PIN_FIELDS = {
  range: 'string',
  version: VERSION_PATTERN,
  token_count: 'number',
  rosetta_tokens: 'number',
  uncompressed_estimate: 'number',
} satisfies Partial<Record<keyof Pin, Shape>>
const DIGEST = /^[0-9a-f]{64}$/

/** Describes what is wrong with a pin, starting with the field; undefined if nothing is. */
function findFault(slug: string, pin: Pin): string | undefined {
  const isPreview = (pin as Pin | null)?.preview_sha256 !== undefined
  const digests = isPreview ? { preview_sha256: DIGEST } : { pack_digest: DIGEST, sha256: DIGEST }
  for (const [field, shape] of Object.entries({ ...PIN_FIELDS, ...digests }))
    if (!fits(pin, { [field]: shape })) return `.${field} is missing or wrong`
  const { range, version, signer } = pin
  if (signer !== undefined && !isKey(signer)) return '.signer is not a key id'
  try {
    if (parsePackName(slug).pack !== slug) return ' is not a slug'
    return parseRange(range).contains(version)
      ? undefined
      : `.version ${version} is not in the range ${range}; to change the range, run pack add ${slug}@${range}`
  } catch (error) {
    return (error as VersionError).code === 'invalid_name' ? ' is not a slug' : '.range is not a range'
  }
}

function invalidLockError(fault: string, cause?: unknown): LockError {
  const options = cause === undefined ? undefined : { cause }
  return new LockError('invalid_lock', `The lock cannot be used: ${fault}`, options)
}
