/** A signature of a pack (SPEC.md, section 14). Its texts are base64url without padding. */
export interface PackSignature {
  /** Thumbprint of the public key, as {@link deriveKeyId} computes it. */
  readonly key_id: string
  /** Ed25519, 32 bytes. */
  readonly public_key: string
  /** 64 bytes, over the bytes of {@link encodeSignedText}. */
  readonly signature: string
}

/** What of a pack is read to verify who signed it. */
export interface SignedPack {
  readonly pack_digest: string
  readonly signatures?: readonly PackSignature[]
}

export const MAX_SIGNATURES = 4
/** 32 bytes in base64url. The two unused bits are 0, so that a value has one form. */
export const KEY_PATTERN: RegExp = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
/** 64 bytes in base64url. */
export const SIGNATURE_PATTERN: RegExp = /^[A-Za-z0-9_-]{85}[AQgw]$/

/**
 * Returns the bytes to sign: a text with a prefix of its own, so that a signature of another
 * protocol is never valid.
 * @param packDigest `pack_digest`, already compared with the pack
 */
export function encodeSignedText(packDigest: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`packs-signature-v1\n${packDigest}\n`)
}

/**
 * Derives the id of a public key: its JWK thumbprint (RFC 7638, RFC 8037), SHA-256 in base64url.
 * @param publicKey 32 bytes in base64url
 */
export async function deriveKeyId(publicKey: string): Promise<string> {
  const jwk = `{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(jwk)))
  const text = btoa(String.fromCharCode(...hash))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
}

/** Reads 1 to 4 signatures of different keys, unverified; undefined for anything else. */
export function readSignatures(value: unknown): readonly PackSignature[] | undefined {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_SIGNATURES) return undefined
  const signatures = value.flatMap((item: Partial<PackSignature> | null): PackSignature[] => {
    const { key_id = '', public_key = '', signature = '' } = item ?? {}
    const isWhole = isKey(key_id) && isKey(public_key) && matches(signature, SIGNATURE_PATTERN)
    return isWhole ? [{ key_id, public_key, signature }] : []
  })
  return signatures.length === value.length && areDifferentKeys(signatures) ? signatures : undefined
}

/** Tells whether a value is 32 bytes in base64url: a public key, or its id. */
export function isKey(value: unknown): value is string {
  return matches(value, KEY_PATTERN)
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

/** Tells whether no two signatures are of one key. */
export function areDifferentKeys(signatures: readonly { readonly key_id: string }[]): boolean {
  return new Set(signatures.map(({ key_id }) => key_id)).size === signatures.length
}

/** Its key id belongs to another key, or its key did not sign this pack. */
export interface WrongSignature {
  readonly key_id: string
  readonly reason: 'key_id' | 'signature'
}

/**
 * Finds the first invalid signature of a pack; undefined if all are valid. Uses Web Crypto.
 * @param pack with signatures of the right shape, and a digest already compared with the pack
 * @throws DOMException `NotSupportedError` in runtimes without Ed25519
 */
export async function findWrongSignature(pack: SignedPack): Promise<WrongSignature | undefined> {
  for (const { key_id, public_key, signature } of pack.signatures ?? []) {
    if ((await deriveKeyId(public_key)) !== key_id) return { key_id, reason: 'key_id' }
    const key = await crypto.subtle.importKey('raw', decodeBytes(public_key), 'Ed25519', false, ['verify'])
    const text = encodeSignedText(pack.pack_digest)
    if (!(await crypto.subtle.verify('Ed25519', key, decodeBytes(signature), text)))
      return { key_id, reason: 'signature' }
  }
  return undefined
}

function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
