import { createHash } from 'node:crypto'
import type { NewVersion } from '@packs/catalog'
import { derivePackId, sealPack, type Pack } from '@packs/codec/pack'
import { mix } from '../catalog/make-versions.ts'

/** Paragraphs of a section. */
const PARAGRAPHS = 3
const SECTIONS = 10
const DOMAINS = 40
const DIFFICULTIES = ['beginner', 'intermediate', 'advanced', 'expert'] as const

/**
 * Creates packs of ten sections whose paragraphs and headings come from real documents, so that words are as frequent as they are
 * there. Each section also has a word of its own, as names in real texts are.
 */
export function createPackMaker(texts: readonly string[]): (index: number) => NewVersion {
  const paragraphs = texts.flatMap(splitParagraphs).filter(({ length }) => length > 80 && length < 1500)
  const words = [...new Set(texts.join('\n').match(/\p{L}{4,}/gu))]
  const pick = <T>(list: readonly T[], seed: number): T => list[mix(seed) % list.length]!
  const name = (seed: number, length: number): string =>
    Array.from({ length }, (_, place) => pick(words, seed * 8 + place)).join(' ')
  return (index) => {
    const title = name(index, 3 + (index % 3))
    const sections = Array.from({ length: SECTIONS }, (_, place) => {
      const seed = index * SECTIONS + place
      const own = `${pick(words, seed + 7)}${seed % 9973}`.toLowerCase()
      const text = Array.from({ length: PARAGRAPHS }, (_part, part) => pick(paragraphs, seed * 4 + part))
      return `## ${name(seed + 1_000_003, 2 + (seed % 3))}\n\n${text.join('\n\n')}\n\nSee \`${own}\`.\n`
    })
    return makeVersion(index, title, `# ${title}\n\n${sections.join('\n')}`)
  }
}

function splitParagraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => /^\p{L}/u.test(paragraph) && !/```|~~~|<|^#/m.test(paragraph))
}

function makeVersion(index: number, title: string, content: string): NewVersion {
  const slug = `pack-${index}`
  const digest = createHash('sha256').update(content).digest('hex')
  const tokens = Math.ceil(content.length / 4)
  const pack = sealPack({
    format: 'packs/1',
    id: derivePackId(slug),
    slug,
    title,
    domain: `Domain ${index % DOMAINS}`,
    domain_slug: `domain-${index % DOMAINS}`,
    subdomain: 'General',
    version: '1.0.0',
    difficulty: DIFFICULTIES[mix(index) % 4] ?? 'beginner',
    compression: 'none',
    tokenizer: 'o200k_base',
    token_count: tokens,
    uncompressed_estimate: tokens,
    savings_pct: 0,
    rosetta_tokens: 0,
    net_savings_pct: 0,
    sha256: digest,
    preview_tokens: 0,
    preview_content: '',
    rosetta: '[DECODE]',
    content,
  })
  return createNewVersion(pack)
}

/** Creates the first version of a pack, without its source. */
export function createNewVersion(pack: Pack): NewVersion {
  const digest = createHash('sha256').update(pack.slug).digest('hex')
  return {
    pack,
    sourceDigest: digest,
    parent: null,
    actor: { kind: 'system', id: 'bench' },
    provenance: {
      source_sha256: digest,
      path: `${pack.slug}.md`,
      git_commit: null,
      codec_version: '0.2.0',
      parent_digest: null,
      job: null,
      reasons: ['The first version'],
      options: { scheme: 'none', code: false, tokenizer: 'o200k_base' },
    },
  }
}
