import { createHash } from 'node:crypto'
import { derivePackId, sealPack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { Account, Actor, NewVersion } from '@packs/catalog'

/** Who makes the changes of tests, for the audit log. */
export const actor: Actor = { kind: 'operator', id: 'ada' }

/** Creates what a catalog tells of an account: that of a Free reader, unless a test changes it. */
export function makeAccount(change: Partial<Account> = {}): Account {
  const base = { id: 'ac_ada', email: 'ada@example.org', tier: 'free', daily: null } as const
  const state = { verified: true, disabled: false, reset_at: null, pending: null }
  return { ...base, created_at: '2026-01-01T00:00:00.000Z', ...state, ...change }
}

/** Properties of a version that a test can set; the others get defaults. */
export interface VersionSketch extends Partial<Pack> {
  readonly slug: string
  readonly parent?: string | null
  readonly tokens?: number
  /** The beginning of the content that every reader may see. @default none */
  readonly preview?: string
  readonly headerTokens?: number
  /** Net savings, per cent. */
  readonly savings?: number
  /** Stands for the source: equal texts give equal digests. */
  readonly source?: string
}

/**
 * Creates a sealed version with the given figures, whether they are true or not.
 *
 * @param fields of the document, in place of those that the sketch gives
 */
export function makeVersion(sketch: VersionSketch, fields: Partial<Pack> = {}): NewVersion {
  const { slug, version = '1.0.0', source = `${slug} ${version}`, parent = null, ...rest } = sketch
  const { tokens = 5, headerTokens = 0, savings = 0, preview = '', ...given } = rest
  const body = given.content ?? `# ${source}\n`
  const pack = sealPack({
    format: 'packs/1',
    id: derivePackId(slug),
    slug,
    title: slug,
    domain: 'Security',
    domain_slug: 'security',
    subdomain: 'General',
    version,
    difficulty: 'beginner',
    compression: 'none',
    tokenizer: 'o200k_base',
    token_count: tokens,
    uncompressed_estimate: tokens,
    savings_pct: 0,
    rosetta_tokens: headerTokens,
    net_savings_pct: savings,
    sha256: createHash('sha256').update(body).digest('hex'),
    preview_tokens: 0,
    preview_content: preview,
    rosetta: '[DECODE]',
    content: body,
    ...given,
    ...fields,
  })
  return {
    pack,
    sourceDigest: createHash('sha256').update(`source ${source}`).digest('hex'),
    parent,
    actor,
    provenance: {
      source_sha256: 'a'.repeat(64),
      path: `${slug}.md`,
      git_commit: null,
      codec_version: '0.1.0',
      parent_digest: null,
      job: null,
      reasons: ['first version'],
      options: { scheme: 'minify-1', code: true, tokenizer: 'o200k_base' },
    },
  }
}
