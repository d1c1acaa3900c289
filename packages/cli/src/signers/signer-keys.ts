import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findExposure, readBounded, readError, readRegularFile } from '@packs/files'
import {
  deriveKeyId,
  encodeSignedText,
  type PackSignature,
  isKey,
  KeysError,
  parseKeys,
  type PublicKey,
} from '@packs/codec/internal'
import type { Pack, PackCheck } from '@packs/codec/pack'
import { CliError, fileError } from '../cli-error.ts'
import { outputError } from '../output/write-file.ts'

/** A private key that signs packs. Nothing returns the key itself. */
export interface SigningKey {
  readonly id: string
  /** 32 bytes in base64url. */
  readonly publicKey: string
  readonly sign: (packDigest: string) => PackSignature
}

const MAX_KEY_FILE = 16_384
const MAKE_HINT = 'make one with `pack signers create FILE` or `openssl genpkey -algorithm ed25519`'

/** Reads unencrypted PKCS#8 in PEM, from a file of this user only. No error has a part of it. */
export async function readSigningKey(path: string): Promise<SigningKey> {
  const refuse = (problem: string, hint: string): CliError =>
    fileError('invalid_signing_key', path, problem, hint)
  let pem: Buffer
  try {
    const { data, stats } = readRegularFile(path, MAX_KEY_FILE)
    const exposure = findExposure(resolve(path), stats)
    const advice = 'put it where only you can read it, with mode 600; if others could read it, make a new key'
    if (exposure !== undefined) throw refuse(exposure, advice)
    pem = data
  } catch (error) {
    if (error instanceof CliError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    if (['not_a_file', 'too_large', 'EISDIR'].includes(code)) throw refuse('is not a private key', MAKE_HINT)
    throw readError(path, error as NodeJS.ErrnoException)
  }
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw refuse('is not a private key in PEM, or is encrypted', MAKE_HINT)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw refuse('is not an Ed25519 key', MAKE_HINT)
  return openSigningKey(key)
}

/**
 * `save` writes the key to a new file that only this user can read. Its id never begins with `-`,
 * which a command line would take for an option.
 */
export async function makeSigningKey(): Promise<{ key: SigningKey; save: (path: string) => void }> {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519')
    const key = await openSigningKey(privateKey)
    if (!key.id.startsWith('-')) return { key, save: (path) => saveKey(path, privateKey) }
  }
}

function saveKey(path: string, key: KeyObject): void {
  try {
    writeFileSync(path, key.export({ format: 'pem', type: 'pkcs8' }), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw outputError(path, error as NodeJS.ErrnoException)
    throw fileError('file_exists', path, 'exists', 'choose another name; overwriting a key destroys it')
  }
}

/** 32 bytes in base64url; undefined if there is no key for Ed25519. */
function readPublicKey(pem: string): string | undefined {
  try {
    const { crv, x } = createPublicKey(pem).export({ format: 'jwk' })
    return crv === 'Ed25519' ? x : undefined
  } catch {
    return undefined
  }
}

async function openSigningKey(key: KeyObject): Promise<SigningKey> {
  const publicKey = createPublicKey(key).export({ format: 'jwk' }).x!
  const id = await deriveKeyId(publicKey)
  return {
    id,
    publicKey,
    sign: (packDigest) => ({
      key_id: id,
      public_key: publicKey,
      signature: sign(null, encodeSignedText(packDigest), key).toString('base64url'),
    }),
  }
}

/** A key that `--key` names. Those of a keys document have a status and a name. */
export type TrustedKey = Pick<PublicKey, 'kid'> & Partial<PublicKey>

/** Whether one of the trusted keys signed a pack, as `pack check` lists it. */
export type SignerCheck = Omit<PackCheck, 'name'> & { readonly name: 'signer' }

/** Characters that a keys document has at most are fewer, and its parser says so. */
const MAX_BYTES = 1024 * 1024

/**
 * Each value is the id of a key, a file with a public key in PEM, or a keys document. An id is
 * never the name of a file, because anyone who sends packs could send a file with the name of the
 * publisher's key too.
 */
export async function readTrustedKeys(values: readonly string[]): Promise<readonly TrustedKey[]> {
  const found = await Promise.all(
    values.map(async (value) => (isKey(value) ? [{ kid: value }] : readKeyFile(value))),
  )
  return found.flat()
}

/** @throws KeysError `invalid_keys`, CliError */
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
  // A private key contains a public one too, but should not be where packs are read.
  const key = text.includes('PRIVATE') ? undefined : readPublicKey(text)
  if (key !== undefined) return [{ kid: await deriveKeyId(key) }]
  const hint = 'name a keys document, an Ed25519 public key in PEM, or the id of a key'
  throw fileError('invalid_signing_key', path, 'is not an Ed25519 public key', hint)
}

/** Undefined if not verified: an invalid signature is ignored, and so is one of another digest. */
export function listSigners(
  { signatures = [] }: Pick<Pack, 'signatures'>,
  checks: readonly { readonly name: string; readonly ok: boolean }[],
): readonly string[] | undefined {
  const isWrong = checks.some(({ name, ok }) => !ok && /^(?:signatures|pack_digest)$/.test(name))
  return isWrong ? undefined : signatures.map(({ key_id }) => key_id)
}

/** The signature of a revoked key does not count. */
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
      message: `The key ${describeKey(revoked)} was revoked${when}: its signature is not valid`,
      hint: 'get a version that the publisher signed with a new key',
    }
  }
  const hint = 'get it from a catalog where its publisher signs packs'
  if (signers.length === 0) return { message: 'The pack is unsigned', hint }
  return {
    message: `The pack is signed by ${signers.join(', ')} instead`,
    hint: 'ask the publisher whether this key is a new one of theirs',
  }
}

function describeKey({ kid, name }: TrustedKey): string {
  return name === undefined ? kid : `${kid} (${name})`
}
