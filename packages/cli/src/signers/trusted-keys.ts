import type { Pack } from '@packs/codec/pack'
import { deriveKeyId, isKey, KeysError, parseKeys, type PublicKey } from '@packs/codec/verify'
import { CliError } from '../cli-error.ts'
import { readBounded } from '../input/read-bounded.ts'
import { readPublicKey } from './signing-key.ts'

/** A key that `--key` names. Those of a keys document have a status and a name. */
export type TrustedKey = Pick<PublicKey, 'kid'> & Partial<PublicKey>

/** Whether one of the trusted keys signed a pack, as `pack check` lists it. */
export interface SignerCheck {
  readonly name: 'signer'
  readonly ok: boolean
  readonly message: string
  readonly hint?: string
  readonly isOutdated?: never
}

/** Characters that a keys document has at most are fewer, and its parser says so. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads keys: each value is the id of a key, a file with a public key in PEM, or a keys document.
 *
 * An id is never the name of a file, because whoever sends packs could send a file with the name of the publisher's key too.
 *
 * @throws CliError `file_not_found` and others of `readBounded`, `invalid_signing_key`
 * @throws KeysError `invalid_keys`
 */
export async function readTrustedKeys(values: readonly string[]): Promise<readonly TrustedKey[]> {
  const found = await Promise.all(
    values.map(async (value) => (isKey(value) ? [{ kid: value }] : readKeyFile(value))),
  )
  return found.flat()
}

/** Reads a keys document. @throws KeysError `invalid_keys`, CliError */
export async function readKeysFile(path: string): Promise<readonly PublicKey[]> {
  const text = Buffer.from(await readBounded(path, MAX_BYTES)).toString()
  try {
    return (await parseKeys(text)).keys
  } catch (error) {
    if (!(error instanceof KeysError)) throw error
    throw Object.assign(new KeysError(`${path}: ${error.message}`), { file: path })
  }
}

async function readKeyFile(path: string): Promise<readonly TrustedKey[]> {
  const text = Buffer.from(await readBounded(path, MAX_BYTES)).toString()
  if (!text.startsWith('-----BEGIN ')) return readKeysFile(path)
  // A private key has a public one too, but it has no place where packs are read.
  const key = text.includes('PRIVATE') ? undefined : readPublicKey(text)
  if (key !== undefined) return [{ kid: await deriveKeyId(key) }]
  const hint = 'name a keys document, a public key of Ed25519 in PEM, or the id of a key'
  throw new CliError('invalid_signing_key', `${path} is no public key of Ed25519`, hint, { file: path })
}

/**
 * Returns the ids of the keys that signed a pack; undefined if that is not proven.
 *
 * @param checks of `checkPack`: a signature that does not hold says nothing, nor does one of a digest that is not the pack's
 */
export function listSigners(
  { signatures = [] }: Pick<Pack, 'signatures'>,
  checks: readonly { readonly name: string; readonly ok: boolean }[],
): readonly string[] | undefined {
  const isWrong = checks.some(({ name, ok }) => !ok && /^(?:signatures|pack_digest)$/.test(name))
  return isWrong ? undefined : signatures.map(({ key_id }) => key_id)
}

/** Says whether one of the keys is a signer of a pack, and else why not. The signature of a revoked key counts for nothing. */
export function judgeSigner(signers: readonly string[], keys: readonly TrustedKey[]): SignerCheck {
  const revoked = keys.filter(({ kid, status }) => status === 'revoked' && signers.includes(kid))
  const signer = keys.find(({ kid }) => signers.includes(kid) && revoked.every((key) => key.kid !== kid))
  if (signer !== undefined) return { name: 'signer', ok: true, message: `Signed by ${describeKey(signer)}` }
  return { name: 'signer', ok: false, ...explain(signers, revoked) }
}

function explain(
  signers: readonly string[],
  [revoked]: readonly TrustedKey[],
): { readonly message: string; readonly hint: string } {
  if (revoked !== undefined) {
    const { revoked_at, reason } = revoked
    const when = `${revoked_at ? ` at ${revoked_at}` : ''}${reason ? ` (${reason})` : ''}`
    return {
      message: `The key ${describeKey(revoked)} was revoked${when}: its signature counts for nothing`,
      hint: 'get a version that the publisher signed with a new key',
    }
  }
  if (signers.length === 0)
    return {
      message: 'The pack is unsigned',
      hint: 'get it from a catalog where its publisher signs packs',
    }
  return {
    message: `The pack is signed by ${signers.join(', ')} instead`,
    hint: 'ask the publisher whether this key is a new one of theirs',
  }
}

function describeKey({ kid, name }: TrustedKey): string {
  return name === undefined ? kid : `${kid} (${name})`
}
