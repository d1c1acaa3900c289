import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { digestBody, digestPack, sealPack, type Pack } from '../../src/pack/index.ts'
import type { PackSignature } from '../../src/signatures/pack-signature.ts'

/** A key pair for tests, and what it does. */
export interface TestSigner {
  readonly id: string
  readonly publicKey: string
  /** PKCS#8, PEM. */
  readonly pem: string
  readonly sign: (digest: string) => PackSignature
}

/** Creates the key pair of a seed: 32 times the same byte. Uses Node's crypto, not the code under test. */
export function createTestSigner(byte: number): TestSigner {
  const der = Buffer.from(`302e020100300506032b657004220420${Buffer.alloc(32, byte).toString('hex')}`, 'hex')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'jwk' }).x!
  const jwk = `{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`
  const id = createHash('sha256').update(jwk).digest('base64url')
  return {
    id,
    publicKey,
    pem: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    sign: (digest) => ({
      key_id: id,
      public_key: publicKey,
      signature: sign(null, Buffer.from(`packs-signature-v1\n${digest}\n`), key).toString('base64url'),
    }),
  }
}

/** Signs a pack with some keys, instead of the signatures that it has. */
export function signPack(pack: Pack, ...signers: readonly TestSigner[]): Pack {
  const { signatures: _before, ...unsigned } = pack
  return { ...unsigned, signatures: signers.map(({ sign: make }) => make(digestPack(pack))) }
}

/** Changes the text of an uncompressed pack so that its digests are right, as whoever serves a pack can. */
export function rewritePack(pack: Pack, text: string): Pack {
  const { signatures: _signatures, pack_digest: _digest, ...rest } = pack
  return sealPack({
    ...rest,
    content: text,
    preview_content: '',
    preview_tokens: 0,
    sha256: digestBody(text),
  })
}
