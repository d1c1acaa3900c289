import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { NewVersion } from '@packs/catalog'
import { derivePackId, sealPack, type Pack } from '@packs/codec/pack'

const BODY = 2000
const DOMAINS = 40
const DIFFICULTIES = ['beginner', 'intermediate', 'advanced', 'expert'] as const

/** Creates first versions: titles of three to seven words of the example packs, 2,000 characters of their text. */
export function createVersionMaker(root: string): (index: number) => NewVersion {
  const folder = `${root}examples/packs/`
  const text = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(`${folder}${name}`, 'utf8'))
    .join('\n')
  const words = [...new Set(text.match(/[\p{L}\p{N}]+/gu))]
  return (index) => {
    const length = 3 + (index % 5)
    const title = Array.from({ length }, (_, place) => words[mix(index * 8 + place) % words.length]).join(' ')
    const start = mix(index) % (text.length - BODY)
    return makeVersion(index, title, text.slice(start, start + BODY).toWellFormed())
  }
}

/** Spreads numbers evenly, in the same way on every run. */
export function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Creates the first version of an uncompressed pack. Its token counts are estimates. */
export function makeVersion(index: number, title: string, content: string): NewVersion {
  const slug = `pack-${index}`
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
    sha256: digest(content),
    preview_tokens: 0,
    preview_content: '',
    rosetta: '[DECODE]',
    content,
  })
  return createNewVersion(pack)
}

/** Creates the first version of a pack, without its source. */
export function createNewVersion(pack: Pack): NewVersion {
  const source = digest(pack.slug)
  return {
    pack,
    sourceDigest: source,
    parent: null,
    actor: { kind: 'system', id: 'bench' },
    provenance: {
      source_sha256: source,
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

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
