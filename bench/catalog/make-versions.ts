import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { NewVersion } from '@packs/catalog'
import { derivePackId, sealPack } from '@packs/codec/pack'

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

function makeVersion(index: number, title: string, content: string): NewVersion {
  const slug = `pack-${index}`
  const digest = createHash('sha256').update(slug).digest('hex')
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
    token_count: 500,
    uncompressed_estimate: 500,
    savings_pct: 0,
    rosetta_tokens: 0,
    net_savings_pct: 0,
    sha256: digest,
    preview_tokens: 0,
    preview_content: '',
    rosetta: '[DECODE] ',
    content,
  })
  return {
    pack,
    sourceDigest: digest,
    parent: null,
    actor: { kind: 'system', id: 'bench' },
    provenance: {
      source_sha256: digest,
      path: `${slug}.md`,
      git_commit: null,
      codec_version: '0.1.0',
      parent_digest: null,
      job: null,
      reasons: ['The first version'],
      options: { scheme: 'none', code: false, tokenizer: 'o200k_base' },
    },
  }
}
