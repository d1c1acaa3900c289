import { VERSION_PATTERN } from './field-limits.ts'
import type { Pack } from './pack-schema.ts'
import { fits, type Shape } from './shapes.ts'
import { parsePackName, parseRange, type VersionError } from './version-range.ts'

/** The pins of `packs.lock`. Slugs are sorted. */
export interface Lock {
  readonly lockfile_version: 1
  readonly packs: Readonly<Record<string, Pin>>
}

/** The version of a pack that is used, whatever is published later. */
export interface Pin {
  /** Range that the version was chosen from. */
  readonly range: string
  readonly version: string
  /** `pack_digest` of the pack document. */
  readonly pack_digest: string
  /** SHA-256 of the source. */
  readonly sha256: string
  /** Tokens of content and header, and of the source; all as the pack counts them. */
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
}

/** What a pin has of a pack. */
export type PinnedFields = Pick<Pack, Exclude<keyof Pin, 'range'>>

/** Codes of {@link LockError}. */
export type LockErrorCode = 'invalid_lock' | 'not_in_lock' | 'lock_mismatch'

const HINTS: Readonly<Record<LockErrorCode, string>> = {
  invalid_lock:
    'Restore packs.lock from version control, or delete it and name its packs again with pack add.',
  not_in_lock: 'Run pack add with slug and range; a lock has no ids.',
  lock_mismatch:
    'Restore packs.lock from version control. If the catalog is right, run pack remove and pack add.',
}

/** A lock that cannot be used, or that does not have a pack. */
export class LockError extends Error {
  override readonly name = 'LockError'
  readonly code: LockErrorCode
  readonly hint: string

  constructor(code: LockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = HINTS[code]
  }
}

/**
 * Creates the pin of a pack.
 *
 * @param range that its version was chosen from
 * @example
 * const pin = createPin(await client.packs.get('tls-certificates@^1'), '^1')
 */
export function createPin(pack: PinnedFields, range: string): Pin {
  const { version, pack_digest, sha256, token_count, rosetta_tokens, uncompressed_estimate } = pack
  return { range, version, pack_digest, sha256, token_count, rosetta_tokens, uncompressed_estimate }
}

/**
 * Finds the pin of a pack.
 *
 * @param name slug, or slug@range
 * @throws {LockError} `not_in_lock`, also if the pinned version is not in the range
 * @throws {VersionError}
 * @example
 * const { slug, pin } = findPin(lock, 'tls-certificates@^1')
 */
export function findPin(lock: Lock, name: string): { readonly slug: string; readonly pin: Pin } {
  const { pack: slug, range = '*' } = parsePackName(name)
  // A slug may have the name of a property of all objects.
  const pin = Object.hasOwn(lock.packs, slug) ? lock.packs[slug] : undefined
  if (pin !== undefined && parseRange(range).contains(pin.version)) return { slug, pin }
  const found = pin ? `: it has ${pin.version}, which is not in the range ${range}` : ''
  throw new LockError('not_in_lock', `${slug} is not in the lock${found}`)
}

/**
 * Checks that a pack is the one that a lock pins.
 *
 * @throws {LockError} `lock_mismatch`
 */
export function checkPin(slug: string, pin: Pin, pack: PinnedFields & Pick<Pack, 'slug'>): void {
  const isSame = JSON.stringify(createPin(pin, '')) === JSON.stringify(createPin(pack, ''))
  if (isSame && pack.slug === slug) return
  throw new LockError('lock_mismatch', `${slug} ${pin.version} is not the pack that the lock pins`)
}

/**
 * Parses the text of a `packs.lock`.
 *
 * @throws {LockError} `invalid_lock`, which names the place
 * @example
 * const client = createClient({ lock: parseLock(text), cache })
 */
export function parseLock(text: string): Lock {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalidLockError('it is no JSON', cause)
  }
  return checkLock(value)
}

/**
 * Serializes a lock: sorted slugs, two spaces, a final line end. The same pins give the same text.
 *
 * @example
 * await writeFile('packs.lock', serializeLock({ lockfile_version: 1, packs: { [pack.slug]: pin } }))
 */
export function serializeLock(lock: Lock): string {
  const slugs = Object.keys(lock.packs).toSorted((a, b) => (a < b ? -1 : 1))
  const packs = Object.fromEntries(
    slugs.map((slug) => [slug, createPin(lock.packs[slug]!, lock.packs[slug]!.range)]),
  )
  return `${JSON.stringify({ lockfile_version: 1, packs }, null, 2)}\n`
}

/**
 * Checks a lock of unknown origin.
 *
 * @throws {LockError} `invalid_lock`, which names the place
 */
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
  pack_digest: /^[0-9a-f]{64}$/,
  sha256: /^[0-9a-f]{64}$/,
  token_count: 'number',
  rosetta_tokens: 'number',
  uncompressed_estimate: 'number',
} satisfies Record<keyof Pin, Shape>

/** Describes what is wrong with a pin, from the place in it on; undefined if nothing is. */
function findFault(slug: string, pin: Pin): string | undefined {
  for (const [field, shape] of Object.entries(PIN_FIELDS))
    if (!fits(pin, { [field]: shape })) return `.${field} is missing or wrong`
  const { range, version } = pin
  try {
    if (parsePackName(slug).pack !== slug) return ' is not a slug'
    return parseRange(range).contains(version)
      ? undefined
      : `.version ${version} is not in the range ${range}; to change the range, run pack add ${slug}@${range}`
  } catch (error) {
    return (error as VersionError).code === 'invalid_name' ? ' is not a slug' : '.range is not a range'
  }
}

function invalidLockError(place: string, cause?: unknown): LockError {
  const options = cause === undefined ? undefined : { cause }
  return new LockError('invalid_lock', `The lock cannot be used: ${place}`, options)
}
