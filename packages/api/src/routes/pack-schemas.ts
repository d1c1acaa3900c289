import { packSchema, type Pack } from '@packs/codec/pack'
import { z } from 'zod'

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
