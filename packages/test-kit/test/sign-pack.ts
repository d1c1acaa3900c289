import { createHash, createPrivateKey, createPublicKey, sign, hash } from 'node:crypto'
import { digestPack, sealPack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { PackSignature } from '../../codec/src/signatures/pack-signature.ts'

/**
 * A pack written by hand. Its digests and id were computed by another program, its counts by the tokenizer's library. It is
 * so small that the header costs more than it saves.
 */
export const samplePack: Pack = {
  format: 'packs/1',
  id: 'pk_cnn6knb7cfs24erc6k0namqbt5',
  slug: 'tls-basics',
  title: 'TLS basics – é',
  domain: 'Web security',
  domain_slug: 'web-security',
  subdomain: 'Transport',
  version: '1.2.0',
  difficulty: 'beginner',
  compression: 'glossary-1',
  tokenizer: 'o200k_base',
  token_count: 30,
  uncompressed_estimate: 35,
  savings_pct: 14.29,
  rosetta_tokens: 10,
  net_savings_pct: -14.29,
  sha256: 'd10723da14b631630aec1571ce1c12d24cda385c8413f5458de3f97e321a60e0',
  pack_digest: '9e7e8bb69a8a7e20415a3bab568f744276b9cdfc2a735713318cafc4df4a0f92',
  preview_tokens: 5,
  preview_content: '# CTL\n\nEvery',
  rosetta: '[DECODE] CTL=certificate transparency log',
  content: '# CTL\n\nEvery CTL is public, and a CTL only grows: what a CTL holds, a CTL never forgets.\n',
}

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

/** Changes the text of an uncompressed pack so that its digests are right, as a server of packs can. */
export function rewritePack(pack: Pack, text: string): Pack {
  const { signatures: _signatures, pack_digest: _digest, ...rest } = pack
  return sealPack({
    ...rest,
    content: text,
    preview_content: '',
    preview_tokens: 0,
    sha256: hash('sha256', text),
  })
}
