import { documentOnlyFields, openDocument } from '@packs/catalog'
import type { PackVersion, Tier } from '@packs/catalog'
import { fieldLimits } from '@packs/codec/internal'
import { packSchema, type Pack } from '@packs/codec/pack'
import { z } from 'zod'
import { JSON_TYPE, MARKDOWN_TYPE } from '../http/headers.ts'

export interface Projection {
  readonly tier: Tier
  readonly format: 'json' | 'markdown'
  /** Whether a full pack has every field of its document, so that `pack_digest` can be checked. */
  readonly isDocument: boolean
}

/**
 * Serializes a pack for a tier, with the schema of the tier, which removes all other fields.
 *
 * @throws CatalogError `catalog_damaged` if the document differs from what was committed
 */
export function projectPack(version: PackVersion, projection: Projection): string {
  const pack = openDocument(version)
  if (projection.format === 'markdown')
    return projection.tier === 'free' ? pack.preview_content : formatForPrompt(pack)
  const { published_at, updated_at, prompt_tokens = null } = version
  const preview = projection.tier === 'free'
  const texts = preview ? { rosetta: null, content: pack.preview_content } : {}
  const fields = { ...pack, published_at, updated_at, prompt_tokens, preview, ...texts }
  return JSON.stringify(findPackSchema(projection).parse(fields))
}

export function findType({ format }: Projection): string {
  return format === 'markdown' ? MARKDOWN_TYPE : JSON_TYPE
}

export function findPackSchema({ tier, isDocument }: Projection): z.ZodObject {
  if (tier === 'free') return previewPackSchema
  return isDocument ? packDocumentSchema : fullPackSchema
}

/** Joins header, empty line and content for a prompt. Plain text has no header. */
export function formatForPrompt({
  compression,
  content,
  rosetta,
}: Pick<Pack, 'compression' | 'content' | 'rosetta'>): string {
  return compression === 'none' ? content : `${rosetta}\n\n${content}`
}

/** The schema of a pack document, and the schemas of its fields. */
const documentSchema = packSchema as unknown as z.ZodObject<{
  readonly [Name in keyof Pack]-?: Name extends OptionalField ? z.ZodOptional : z.ZodType
}>
const { shape } = documentSchema

type OptionalField = 'description' | 'tags' | 'signatures'

const format = shape.format.describe('Name and major version of the format of pack documents')

/** Schemas for responses that have only some of the fields. */
export const packFields: Readonly<Record<keyof Pack, z.ZodType>> = shape

/** Counted by the catalog, and in no document. */
export const promptTokens: z.ZodType = z
  .nullable(z.int().min(0))
  .optional()
  .describe(
    'Tokens of a prompt with only this pack as it was built, instruction and header included; null if none can be composed',
  )

/** Adds null to a pack that no prompt can be composed of. */
export function addPromptTokens<T extends { readonly prompt_tokens?: number }>(pack: T): object {
  return { ...pack, prompt_tokens: pack.prompt_tokens ?? null }
}

const time = z.iso.datetime({ precision: 3 })

/**
 * The fields of a pack in a list, which full packs, previews and downloads have too. Every stored
 * row is parsed with them: a new required field must exist in all stored rows or have a default.
 * Otherwise old packs can no longer be sent.
 */
const { shape: summaryShape } = documentSchema
  .omit({ ...documentOnlyFields, format: true, pack_digest: true, sha256: true })
  .extend({
    // Optional in packs, but always present in responses.
    description: z
      .nullable(shape.description.unwrap())
      .default(null)
      .describe('Description, one line; null if the pack has none'),
    tags: z
      .array((shape.tags.unwrap() as z.ZodArray).element)
      .max(fieldLimits.tags)
      .default([])
      .describe('Tags; empty if the pack has none'),
    sha256: shape.sha256,
    published_at: time.describe('When the version was published, RFC 3339, UTC'),
    updated_at: time.describe(
      'When the pack last changed; for a version requested by number, when it was published',
    ),
    prompt_tokens: promptTokens,
  })

export const summarySchema: z.ZodObject = z.object(summaryShape).meta({ title: 'Pack in a list' })

const fullPackShape = {
  format,
  ...summaryShape,
  glossary: shape.glossary,
  code: shape.code,
  pack_digest: shape.pack_digest.describe(
    'SHA-256 of the pack document as canonical JSON, without this field; `include=document` returns all that is needed to check it',
  ),
  preview: z.literal(false).describe('The content is complete'),
  preview_content: z.string().describe('What Free accounts get as content'),
  rosetta: z.string().describe('Header that decodes the content, for the system prompt'),
  content: z.string().describe('Compressed body'),
}

/** A pack for Pro accounts. */
export const fullPackSchema: z.ZodObject = z.object(fullPackShape).meta({ title: 'Pack' })

/** A pack for Pro accounts with every field of its document. Absent fields are absent here too. */
export const packDocumentSchema: z.ZodObject = z
  .object({
    ...fullPackShape,
    description: shape.description,
    tags: shape.tags,
    metadata: shape.metadata,
    front_matter: shape.front_matter,
    url: shape.url,
    minify: shape.minify,
    text_sha256: shape.text_sha256,
    links_sha256: shape.links_sha256,
    patch_sha256: shape.patch_sha256,
    links: shape.links,
    patch: shape.patch,
    signatures: shape.signatures.describe(
      'Ed25519 signatures of `pack_digest`; absent if the version is unsigned. They can be added later, so the digest does not cover them',
    ),
  })
  .meta({ title: 'Pack with its whole document' })

/** A pack for Free accounts: the beginning of the content, without the header. */
export const previewPackSchema: z.ZodObject = z
  .object({
    format,
    ...summaryShape,
    preview: z.literal(true).describe('The content is the preview'),
    rosetta: z.null().describe('Only Pro accounts get the header'),
    content: z
      .string()
      .describe('The first fifth of the content, cut at a boundary, but at least its first sentence'),
  })
  .meta({ title: 'Preview of a pack' })

export const removedPackSchema: z.ZodObject = z
  .object({
    id: shape.id,
    slug: shape.slug,
    removed: z.literal(true),
    updated_at: time.describe('When the pack was removed'),
  })
  .meta({ title: 'Removed pack' })

/** A pack that a response omits because its rows in the database are damaged. */
const damagedPackSchema: z.ZodObject = z
  .object({
    slug: z.string(),
    version: z.string().nullable().describe('Null if not even the version can be found'),
  })
  .meta({ title: 'Damaged pack' })

/** `meta.damaged` of lists and downloads. */
export const damagedField: z.ZodType = z
  .array(damagedPackSchema)
  .optional()
  .describe('Packs omitted because they are damaged; absent if there are none')

export const versionLineSchema: z.ZodObject = z
  .object({
    version: shape.version,
    published_at: time,
    token_count: shape.token_count,
    prompt_tokens: promptTokens,
    sha256: shape.sha256,
    signers: z
      .array(z.string())
      .optional()
      .describe(
        'Ids of the keys that signed it; empty if it is unsigned. To verify them, check the document',
      ),
    yanked: z
      .boolean()
      .describe('Withdrawn: not listed and never the latest version, but available by its number'),
    yanked_reason: z.string().nullable(),
  })
  .meta({ title: 'Version of a pack' })
