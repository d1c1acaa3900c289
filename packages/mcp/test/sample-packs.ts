import type { DecodedPack } from '@packs/client/internal'
import { decodePack } from '../../client/src/packs/decode-pack.ts'
import { buildSample, type PackSketch } from '../../test-kit/test/build-version.ts'

/** Builds a pack from markdown. */
export async function makePack(sketch: PackSketch): Promise<DecodedPack> {
  return decodePack(await buildSample(sketch))
}

const RENEWAL =
  'The certificate authority signs the renewed certificate of the server, and the certificate authority revokes the old certificate of the server. '

/** A handbook whose terms pay, with sections below sections, two versions of a short pack, and one of another tokenizer. */
export const sketches: readonly PackSketch[] = [
  {
    slug: 'tls-certificates',
    title: 'TLS certificates',
    body: [
      '# TLS certificates\n\nHow servers prove who they are.\n',
      '## Renewal\n\nRenew before the certificate expires.\n',
      `### Automatic renewal\n\nAn ACME client renews by itself.\n\n${RENEWAL.repeat(12)}\n`,
      `### Renewal by hand\n\nCreate a signing request with openssl.\n\n${RENEWAL.repeat(4)}\n`,
      '## Revocation\n\nA revoked certificate is listed in a revocation list, or OCSP reports it.\n',
    ].join('\n'),
  },
  {
    slug: 'http-status-codes',
    title: 'HTTP status codes',
    scheme: 'none',
    body: '# HTTP status codes\n\n## 404\n\nThe server found nothing at this address.\n\n## 503\n\nThe server is overloaded.\n',
    version: '1.0.0',
  },
  {
    slug: 'http-status-codes',
    title: 'HTTP status codes',
    scheme: 'none',
    body: '# HTTP status codes\n\n## 404\n\nThe server found nothing at this address.\n\n## 503\n\nThe server is overloaded or being repaired.\n',
    version: '1.1.0',
  },
  {
    slug: 'datenbanken',
    title: 'Datenbanken — Überblick',
    scheme: 'none',
    tokenizer: 'cl100k_base',
    body: '# Datenbanken\n\nEin Index beschleunigt die Suche nach Schlüsseln. 索引は検索を速くします。\n',
  },
]
