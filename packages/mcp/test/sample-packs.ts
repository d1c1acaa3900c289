import { type Scheme, decode } from '@packs/codec'
import { buildPack } from '@packs/codec/build'
import { sealPack } from '@packs/codec/pack'
import { parseSource } from '@packs/codec/source'
import type { TokenizerName } from '@packs/codec/tokens'
import type { DecodedPack } from '@packs/client/tools'

/** What a pack is built from. */
export interface PackSketch {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly scheme?: Scheme
  readonly version?: string
  readonly tokenizer?: TokenizerName
}

/** Builds a pack from markdown. */
export async function makePack(sketch: PackSketch): Promise<DecodedPack> {
  const { slug, title, body, scheme = 'glossary-1', version = '1.0.0', tokenizer = 'o200k_base' } = sketch
  const text = `---\ntitle: ${JSON.stringify(title)}\nslug: ${slug}\n---\n${body}`
  const { source, messages } = parseSource(Buffer.from(text), { path: `${slug}.md` })
  if (source === undefined) throw new Error(messages.join('\n'))
  const { pack } = await buildPack(source, { scheme, tokenizer })
  if (pack === undefined) throw new Error('No pack')
  const { pack_digest: _digest, ...draft } = pack
  const sealed = sealPack({ ...draft, version })
  return { pack: sealed, body: decode(sealed.content, sealed.rosetta) }
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
