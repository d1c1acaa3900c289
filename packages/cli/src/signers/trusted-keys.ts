import { existsSync } from 'node:fs'
import type { Pack } from '@packs/codec/pack'
import { deriveKeyId, isKey, KeysError, parseKeys, type PublicKey } from '@packs/codec/signatures'
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
}

/** Characters that a keys document has at most are fewer, and its parser says so. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads keys: each value is the id of a key, a file with a public key in PEM, or a keys document.
 *
 * @throws CliError `file_not_found` and others of `readBounded`, `invalid_signing_key`
 * @throws KeysError `invalid_keys`
 */
export async function readTrustedKeys(values: readonly string[]): Promise<readonly TrustedKey[]> {
  const found = await Promise.all(
    values.map(async (value) => (isKey(value) && !existsSync(value) ? [{ kid: value }] : readKeyFile(value))),
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
 * Says whether one of the keys signed a pack, and else why not. The signature of a revoked key counts for nothing.
 *
 * @param checks of `checkPack`: a signature that does not hold says nothing, nor does one of a digest that is not the pack's
 */
export function judgeSigner(
  pack: Pick<Pack, 'signatures'>,
  checks: readonly { readonly name: string; readonly ok: boolean }[],
  keys: readonly TrustedKey[],
): SignerCheck {
  const isWrong = checks.some(({ name, ok }) => !ok && /^(?:signatures|pack_digest)$/.test(name))
  const signatures = (isWrong ? undefined : pack.signatures) ?? []
  const known = keys.filter(({ kid }) => signatures.some(({ key_id }) => key_id === kid))
  const isRevoked = ({ kid }: TrustedKey): boolean =>
    keys.some((key) => key.kid === kid && key.status === 'revoked')
  const signer = known.find((key) => !isRevoked(key))
  if (signer !== undefined) return { name: 'signer', ok: true, message: `Signed by ${describeKey(signer)}` }
  return { name: 'signer', ok: false, ...explain(signatures, known) }
}

function explain(
  signatures: NonNullable<Pack['signatures']>,
  [revoked]: readonly TrustedKey[],
): { readonly message: string; readonly hint: string } {
  if (revoked !== undefined) {
    const { revoked_at: at, reason } = keyFacts(revoked)
    return {
      message: `The key ${describeKey(revoked)} was revoked${at}${reason}: its signature counts for nothing`,
      hint: 'get a version that the publisher signed with a new key',
    }
  }
  if (signatures.length === 0)
    return { message: 'The pack is unsigned', hint: 'get it from a catalog where its publisher signs packs' }
  const signers = signatures.map(({ key_id }) => key_id).join(', ')
  return {
    message: `The pack is signed by ${signers} instead`,
    hint: 'ask the publisher whether this key is a new one of theirs',
  }
}

function keyFacts({ revoked_at, reason }: TrustedKey): {
  readonly revoked_at: string
  readonly reason: string
} {
  return { revoked_at: revoked_at ? ` at ${revoked_at}` : '', reason: reason ? ` (${reason})` : '' }
}

function describeKey({ kid, name }: TrustedKey): string {
  return name === undefined ? kid : `${kid} (${name})`
}
