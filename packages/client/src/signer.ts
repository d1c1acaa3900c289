import type { Pack } from '@packs/codec/pack'

/** Codes of {@link LockError}. */
type LockErrorCode =
  | 'invalid_lock' // `packs.lock` has an invalid field or conflict markers; the message says where
  | 'not_in_lock' // the pack is not in the lock, or its locked version is not in the range
  | 'lock_mismatch' // a pack differs from the one that the lock pins
  | 'signer_mismatch' // a pack is unsigned, or signed with a different key than the pinned or requested one

const HINTS: Readonly<Record<LockErrorCode, string>> = {
  invalid_lock: 'Restore packs.lock from version control, or delete it and run pack add again.',
  not_in_lock: 'Run pack add with a slug and a range; a lock has no ids.',
  lock_mismatch: 'Restore packs.lock from version control; if the catalog is right, pin the pack again.',
  signer_mismatch: 'Ask the publisher. If the key is new, accept it: run pack add with --signer and its id.',
}

/** A lock that cannot be used, or that does not pin a pack. */
export class LockError extends Error {
  override readonly name = 'LockError'
  readonly code: LockErrorCode
  readonly hint: string

  constructor(code: LockErrorCode, message: string, options?: ErrorOptions, hint: string = HINTS[code]) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}

/**
 * Checks that one of the wanted keys signed a pack, and returns it. If none is wanted, returns the
 * key that signed last, or null.
 * @param pack with verified signatures, as `verifyPack` returns it
 * @param wanted ids of keys
 * @throws {LockError} `signer_mismatch`, including for an unsigned pack
 */
export function checkSigner(
  pack: Pick<Pack, 'slug' | 'version' | 'signatures'>,
  wanted?: readonly string[],
): string | null {
  const signer = findSigner(pack, wanted)
  if (signer !== null || wanted === undefined) return signer
  const found = pack.signatures?.map(({ key_id }) => key_id).join(', ')
  const how = found === undefined ? 'is unsigned' : `is signed by ${found}`
  const message = `${pack.slug} ${pack.version} ${how}, but should be signed by ${wanted.join(' or ')}`
  throw new LockError('signer_mismatch', message)
}

/**
 * A wanted key if it signed the pack; without wanted keys the one that signed last.
 * @param pack with valid signatures
 * @param wanted key ids
 */
export function findSigner(
  { signatures = [] }: Pick<Pack, 'signatures'>,
  wanted?: readonly string[],
): string | null {
  const found = signatures.findLast(({ key_id }) => wanted === undefined || wanted.includes(key_id))
  return found?.key_id ?? null
}
