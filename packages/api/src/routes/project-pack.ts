import type { PackVersion, Tier } from '@packs/catalog'
import { packSchema, type Pack } from '@packs/codec/pack'
import { z } from 'zod'
import { JSON_TYPE, MARKDOWN_TYPE } from '../http/headers.ts'

/** Whom a pack is shown to, and how. */
export interface Projection {
  readonly tier: Tier
  readonly format: 'json' | 'markdown'
}

/** The text of a pack as a tier sees it. What the schema of the tier does not name never leaves. */
export function projectPack(version: PackVersion, projection: Projection): { text: string; type: string } {
  const texts = readTexts(version)
  if (projection.format === 'markdown') {
    return { text: formatForPrompt(version, texts, projection.tier), type: MARKDOWN_TYPE }
  }
  return { text: JSON.stringify(projectFields(version, texts, projection.tier)), type: JSON_TYPE }
}

/** The fields of a pack as Pro callers see it, for downloads. */
export function projectFull(version: PackVersion): Record<string, unknown> {
  return projectFields(version, readTexts(version), 'pro')
}

type Texts = Pick<Pack, 'content' | 'rosetta' | 'preview_content'>

function readTexts({ document }: PackVersion): Texts {
  return JSON.parse(
    Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString(),
  ) as Texts
}

function projectFields(version: PackVersion, texts: Texts, tier: Tier): Record<string, unknown> {
  const { document: _document, ...summary } = version
  switch (tier) {
    case 'pro':
      return fullPackSchema.parse({ ...summary, ...texts, preview: false })
    case 'free':
      return previewPackSchema.parse({
        ...summary,
        preview: true,
        rosetta: null,
        content: texts.preview_content,
      })
  }
}

/** What can be pasted into a prompt: the header, an empty line and the content; a pack without terms has no header. */
function formatForPrompt({ compression }: PackVersion, texts: Texts, tier: Tier): string {
  if (tier === 'free') return texts.preview_content
  return compression === 'none' ? texts.content : `${texts.rosetta}\n\n${texts.content}`
}

/** Schemas of the fields of a pack document. */
const { shape } = packSchema as unknown as {
  readonly shape: { readonly [Name in keyof Pack]: z.ZodType<Pack[Name]> }
}

const time = z.iso.datetime({ precision: 3 })

const summaryShape = {
  id: shape.id,
  slug: shape.slug,
  title: shape.title,
  domain: shape.domain,
  domain_slug: shape.domain_slug,
  subdomain: shape.subdomain,
  version: shape.version,
  difficulty: shape.difficulty,
  compression: shape.compression,
  tokenizer: shape.tokenizer,
  token_count: shape.token_count,
  uncompressed_estimate: shape.uncompressed_estimate,
  savings_pct: shape.savings_pct,
  rosetta_tokens: shape.rosetta_tokens,
  net_savings_pct: shape.net_savings_pct,
  preview_tokens: shape.preview_tokens,
  sha256: shape.sha256,
  published_at: time.describe('When the version was published, RFC 3339, UTC'),
  updated_at: time.describe(
    'When the pack last changed; of a version asked for by number, when it was published',
  ),
}

/** A pack as lists show it: without its texts. */
export const summarySchema: z.ZodObject = z.object(summaryShape).meta({ title: 'Pack in a list' })

/** A pack as Pro callers get it. */
export const fullPackSchema: z.ZodObject = z
  .object({
    ...summaryShape,
    preview: z.literal(false).describe('This is the whole content'),
    rosetta: z.string().describe('Decoder header, for the system prompt'),
    content: z.string().describe('Compressed body'),
  })
  .meta({ title: 'Pack' })

/** A pack as Free callers get it: same keys, the content cut at a fifth, no decoder. */
export const previewPackSchema: z.ZodObject = z
  .object({
    ...summaryShape,
    preview: z.literal(true).describe('Only the first fifth of the content'),
    rosetta: z.null().describe('Pro callers get the decoder header'),
    content: z.string().describe('The first fifth of the content, well cut'),
  })
  .meta({ title: 'Preview of a pack' })

/** A pack that is gone since. */
export const removedPackSchema: z.ZodObject = z
  .object({
    id: shape.id,
    slug: shape.slug,
    removed: z.literal(true),
    updated_at: time.describe('When it went'),
  })
  .meta({ title: 'Removed pack' })

/** One line of a pack's history. */
export const versionLineSchema: z.ZodObject = z
  .object({
    version: shape.version,
    published_at: time,
    token_count: shape.token_count,
    sha256: shape.sha256,
    yanked: z.boolean().describe('Withdrawn: not in lists and never the latest, still served by its number'),
    yanked_reason: z.string().nullable(),
  })
  .meta({ title: 'Version of a pack' })
