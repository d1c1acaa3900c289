import { makeVersion, type VersionSketch } from '../../test-kit/test/make-version.ts'
import type { NewVersion } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'

/** Creates a version with a header and a preview, for the tests of tiers. */
export function makePack(sketch: VersionSketch, texts: Partial<Pack> = {}): NewVersion {
  const { slug, title = slug } = sketch
  return makeVersion(sketch, {
    compression: 'minify-1',
    rosetta: '[DECODE] KP=knowledge pack',
    content: `# ${title}\n\nA KP comes back as it was. ${'More of it. '.repeat(40)}`,
    preview_content: `# ${title}\n`,
    preview_tokens: 3,
    rosetta_tokens: 6,
    ...texts,
  })
}

/** Packs of several domains, difficulties and scripts. */
export const samplePacks: readonly NewVersion[] = [
  makePack({
    slug: 'tls-basics',
    title: 'TLS basics',
    domain: 'Web security',
    domain_slug: 'web-security',
    tokens: 100,
  }),
  makePack({
    slug: 'tls-certificates',
    title: 'Certificates in TLS',
    domain: 'Web security',
    domain_slug: 'web-security',
    difficulty: 'expert',
    tokens: 900,
  }),
  makePack({
    slug: 'go',
    title: 'Go',
    domain: 'Languages',
    domain_slug: 'languages',
    difficulty: 'intermediate',
    tokens: 50,
  }),
  makePack({
    slug: 'toukei',
    title: '統計の基礎',
    domain: 'Statistics',
    domain_slug: 'statistics',
    difficulty: 'advanced',
  }),
  makePack(
    { slug: 'plain', title: 'Plain text', domain: 'Languages', domain_slug: 'languages' },
    { compression: 'none', rosetta: '[DECODE]', rosetta_tokens: 0 },
  ),
]
