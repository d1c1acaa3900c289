import { createHash } from 'node:crypto'
import type { NewVersion } from '@packs/catalog'
import { derivePackId, sealPack, type Pack } from '@packs/codec/pack'

/** What a test says about a pack; the rest is filled in. */
export interface PackSketch extends Partial<
  Pick<Pack, 'title' | 'domain' | 'domain_slug' | 'difficulty' | 'rosetta' | 'preview_content' | 'subdomain'>
> {
  readonly slug: string
  readonly content: string
  readonly tokens?: number
  /** Net, per cent. */
  readonly saved?: number
}

/** Seals a version that says what it is told to, true or not. */
export function makePack(sketch: PackSketch): NewVersion {
  const { slug, content, rosetta = '[DECODE]' } = sketch
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
  const pack = sealPack({
    format: 'packs/1',
    id: derivePackId(slug),
    slug,
    title: sketch.title ?? slug,
    domain: sketch.domain ?? 'Web security',
    domain_slug: sketch.domain_slug ?? 'web-security',
    subdomain: sketch.subdomain ?? 'Transport',
    version: '1.0.0',
    difficulty: sketch.difficulty ?? 'beginner',
    compression: rosetta === '[DECODE]' ? 'none' : 'glossary-1',
    tokenizer: 'o200k_base',
    token_count: sketch.tokens ?? 700,
    uncompressed_estimate: 1000,
    savings_pct: 30,
    rosetta_tokens: 100,
    net_savings_pct: sketch.saved ?? 20,
    sha256: sha256(content),
    preview_tokens: 3,
    preview_content: sketch.preview_content ?? content.slice(0, 20),
    rosetta,
    content,
  })
  return {
    pack,
    sourceDigest: sha256(`source ${slug}`),
    parent: null,
    provenance: {
      source_sha256: 'a'.repeat(64),
      path: `${slug}.md`,
      git_commit: null,
      codec_version: '0.1.0',
      parent_digest: null,
      job: null,
      reasons: ['first version'],
      options: { scheme: 'glossary-1', code: false, tokenizer: 'o200k_base' },
    },
  }
}
