import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findExposure, readRegularFile } from '@packs/client/files'
import { deriveKeyId, encodeSignedText, type PackSignature } from '@packs/codec/verify'
import { CliError } from '../cli-error.ts'
import { readError } from '../input/read-bounded.ts'
import { outputError } from '../output/write-file.ts'

/** A private key that signs packs. Nothing returns the key itself. */
export interface SigningKey {
  readonly id: string
  /** 32 bytes in base64url. */
  readonly publicKey: string
  /** Signs a `pack_digest`. */
  readonly sign: (packDigest: string) => PackSignature
}

const MAX_KEY_FILE = 16_384
const MAKE_HINT = 'make one with `pack signers create FILE` or `openssl genpkey -algorithm ed25519`'

/**
 * Reads a private key: PEM with PKCS#8, not encrypted, in a file that nobody else can read.
 *
 * @throws CliError `file_not_found`, `file_unreadable`, `invalid_signing_key`; no error has a part of the file
 */
export async function readSigningKey(path: string): Promise<SigningKey> {
  const refuse = (problem: string, hint: string): CliError =>
    new CliError('invalid_signing_key', `${path} ${problem}`, hint, { file: path })
  let pem: Buffer
  try {
    const { data, stats } = readRegularFile(path, MAX_KEY_FILE)
    const exposure = findExposure(resolve(path), stats)
    if (exposure !== undefined)
      throw refuse(
        exposure,
        'put it where only you can read it, with mode 600; if others could, make a new key',
      )
    pem = data
  } catch (error) {
    if (error instanceof CliError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    if (['not_a_file', 'too_large', 'EISDIR'].includes(code)) throw refuse('is no private key', MAKE_HINT)
    throw readError(path, error as NodeJS.ErrnoException)
  }
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw refuse('is no private key in PEM, or it is encrypted', MAKE_HINT)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw refuse('is no Ed25519 key', MAKE_HINT)
  return openSigningKey(key)
}

/** A new private key, which nothing has yet. */
export interface NewSigningKey {
  readonly key: SigningKey
  /** Writes it to a new file that only this user can read. @throws CliError `file_exists`, `output_failed` */
  readonly save: (path: string) => void
}

/** Makes a private key. */
export async function makeSigningKey(): Promise<NewSigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { key: await openSigningKey(privateKey), save: (path) => saveKey(path, privateKey) }
}

function saveKey(path: string, key: KeyObject): void {
  try {
    writeFileSync(path, key.export({ format: 'pem', type: 'pkcs8' }), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw outputError(path, error as NodeJS.ErrnoException)
    const hint = 'choose another name; a key that is overwritten is lost'
    throw new CliError('file_exists', `${path} exists`, hint, { file: path })
  }
}

/** Returns the public key in a PEM file, 32 bytes in base64url; undefined if there is none of Ed25519. */
export function readPublicKey(pem: string): string | undefined {
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
