import { documentOnlyFields, openDocument, CatalogError } from '@packs/catalog'
import type {
  PackVersion,
  Tier,
  CatalogQueue,
  CatalogWork,
  DamagedVersion,
  TaskOptions,
} from '@packs/catalog'
import { decode, type LinkTable } from '@packs/codec'
import {
  fieldLimits,
  frameTexts,
  listLinkPlaces,
  measurePreview,
  selectLinks,
  writeHead,
  writeLinks,
} from '@packs/codec/internal'
import { packSchema, type Pack } from '@packs/codec/pack'
import { z } from 'zod'
import type { Included } from '../http/parse-query.ts'
import { digestNow, type DigestedBytes } from '../response-cache/body.ts'

export interface Projection {
  readonly tier: Tier
  readonly format: 'json' | 'markdown'
  /** What a full pack has besides; nothing for the tier `free`. */
  readonly include: Included | undefined
}

/**
 * The schema of a tier removes all other fields.
 * @throws CatalogError `catalog_damaged` if the document differs from what was committed
 */
export function projectPack(version: PackVersion, projection: Projection): string {
  const pack = openDocument(version)
  const preview = projection.tier === 'free'
  const shown = preview ? { ...pack, content: pack.preview_content, links: selectPreviewLinks(pack) } : pack
  if (projection.format === 'markdown') {
    const names = { title: pack.title }
    if (!preview && !pack.links?.length) return frameContent(names, pack)
    const content = preview ? shown.content : decode(pack.content, pack.rosetta)
    const text = writeAddresses(preview ? shown : { ...pack, content, rosetta: NO_TERMS })
    return frameContent(names, { content: text, rosetta: NO_TERMS })
  }
  const { published_at, updated_at } = version
  const texts = preview ? { sha256: null, rosetta: null, content: shown.content, links: shown.links } : {}
  const fields = { ...pack, published_at, updated_at, preview, ...texts }
  return JSON.stringify(findPackSchema(projection).parse(fields))
}

export function findPackSchema({ tier, include }: Projection): z.ZodObject {
  if (tier === 'free') return previewPackSchema
  if (include === undefined) return fullPackSchema
  return include === 'source' ? packSourceSchema : packDocumentSchema
}

/** Writes a content for a prompt: with its header unless a term of it occurs in the tag. */
export function frameContent(
  attributes: Readonly<Record<string, string>>,
  { content, rosetta }: Pick<Pack, 'content' | 'rosetta'>,
): string {
  const source = decode(content, rosetta)
  const frame = (text: string): string => frameTexts([{ attributes, text }], `${rosetta}\n${source}`)[0]!
  const [framed, plain] = [frame(content), frame(source)]
  const hasHeader = rosetta !== NO_TERMS && decode(framed, rosetta) === plain
  return hasHeader ? writeHead(rosetta) + framed : writeHead() + plain
}

const NO_TERMS = '[DECODE]'

/** Places are those of the whole text: in a part, code that is cut could look like a link. */
function selectPreviewLinks(pack: Pack): Readonly<Record<string, string>> | undefined {
  if (pack.minify === undefined) return undefined
  if (pack.links!.length === 0) return {}
  const places = listLinkPlaces(decode(pack.content, pack.rosetta), pack.minify.dialect)
  return selectLinks(places, pack.links!, { end: measurePreview(pack) })
}

type ShownPack = Omit<Pack, 'links'> & { readonly links?: LinkTable | undefined }

/** Writes addresses in place, except into a content with terms, whose letters they may have. */
function writeAddresses({ content, links, minify, rosetta, url }: ShownPack): string {
  if (links === undefined || rosetta !== NO_TERMS) return content
  return writeLinks(content, links, 'inline', { url, dialect: minify?.dialect })
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

/** Hides digests from Free accounts. */
export function describeFor(tier: Tier, pack: object): object {
  return tier === 'free' ? { ...pack, sha256: null, pack_digest: null, signers: null } : pack
}

/** A schema with its description. */
export const text = (description: string): z.ZodString => z.string().describe(description)
export const integer = (description: string): z.ZodInt => z.int().describe(description)

const time = z.iso.datetime({ precision: 3 })

/**
 * What all packs in responses have. Every stored row is parsed with it: a new required field must
 * exist in all stored rows or have a default.
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
    sha256: shape.sha256
      .nullable()
      .describe('SHA-256 of the source body as UTF-8, hexadecimal; null for Free accounts'),
    published_at: time.describe('When the version was published, RFC 3339, UTC'),
    updated_at: time.describe(
      'When the pack last changed; for a version requested by number, when it was published',
    ),
  })

export const summarySchema: z.ZodObject = z.object(summaryShape).meta({ title: 'Pack in a list' })

const fullPackShape = {
  format,
  ...summaryShape,
  sha256: shape.sha256,
  url: shape.url,
  minify: shape.minify,
  text_sha256: shape.text_sha256,
  links_sha256: shape.links_sha256,
  patch_sha256: shape.patch_sha256,
  glossary: shape.glossary,
  code: shape.code,
  pack_digest: shape.pack_digest.describe(
    'SHA-256 of the pack document as canonical JSON, without this field, links and patch; `include=document` returns all that is needed to check it',
  ),
  preview: z.literal(false).describe('The content is complete'),
  preview_content: text('What Free accounts get as content'),
  rosetta: text('Header that decodes the content, for the system prompt'),
  content: text('Compressed text'),
  links: shape.links,
}

export const fullPackSchema: z.ZodObject = z.object(fullPackShape).meta({ title: 'Pack' })

const { metadata, front_matter, patch } = shape

export const packSourceSchema: z.ZodObject = z
  .object({ ...fullPackShape, metadata, front_matter, patch })
  .meta({ title: 'Pack with its source' })

/** A pack for Pro accounts with every field of its document. Absent fields are absent here too. */
export const packDocumentSchema: z.ZodObject = z
  .object({
    ...fullPackShape,
    description: shape.description,
    tags: shape.tags,
    metadata,
    front_matter,
    patch,
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
    content: text('The first fifth of the content, cut at a boundary, but at least its first sentence'),
    url: shape.url,
    links: z
      .record(z.string(), z.string())
      .optional()
      .describe('Addresses of the links in the preview, by number; absent under none'),
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
    rosetta_tokens: shape.rosetta_tokens,
    sha256: shape.sha256.nullable().describe('SHA-256 of the source body; null for Free accounts'),
    signers: z
      .array(z.string())
      .nullable()
      .optional()
      .describe(
        'Ids of the keys that signed it; empty if it is unsigned, null for Free accounts. To verify them, check the document',
      ),
    yanked: z
      .boolean()
      .describe('Withdrawn: not listed and never the latest version, but available by its number'),
    yanked_reason: z.string().nullable(),
  })
  .meta({ title: 'Version of a pack' })

export const purgeSchema: z.ZodObject = z
  .object({
    slug: shape.slug,
    version: shape.version,
    purged_at: time.describe('When its text was erased for good'),
    reason: z.string(),
  })
  .meta({ title: 'Purged version' })

/** A document to read, and the time of the last change of its pack. */
export interface DocumentName {
  readonly sequence: number
  readonly updated_at: string
}

export interface DocumentTask {
  readonly documents: readonly DocumentName[]
  readonly projection: Projection
  readonly separator: string
  /** Whether to look only for damaged documents. */
  readonly isCheck: boolean
}

/** Serialized documents, without the damaged ones. */
export interface DocumentResult extends DigestedBytes {
  readonly damaged: readonly DamagedVersion[]
  /** What is wrong with the first damaged document. */
  readonly reason: string | null
}

/** Reads and serializes documents, large ones in the document worker. */
export interface DocumentReader {
  run(task: DocumentTask, options: TaskOptions): Promise<DocumentResult>
}

export function createDocumentReader(queue: CatalogQueue): DocumentReader {
  return {
    async run(task, options) {
      const { bytes, ...result } = await queue.run({ module: import.meta.url, work }, task, options)
      // Another thread sends a plain Uint8Array.
      return { ...result, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
    },
  }
}

export const work: CatalogWork<DocumentTask, DocumentResult> = async ({ packs }, task) => {
  const texts: Buffer[] = []
  const faults: CatalogError[] = []
  for (const { sequence, updated_at } of task.documents) {
    try {
      const version = await packs.read(sequence)
      if (version === undefined) throw new Error('A version that was found no longer exists')
      const text = projectPack({ ...version, updated_at }, task.projection)
      if (!task.isCheck) texts.push(Buffer.from(texts.length === 0 ? text : task.separator + text))
    } catch (error) {
      if (!(error instanceof CatalogError) || error.damaged === undefined) throw error
      faults.push(error)
    }
  }
  const [only] = texts
  const bytes = only !== undefined && texts.length === 1 ? only : Buffer.concat(texts)
  const damaged = faults.flatMap((fault) => fault.damaged ?? [])
  return { ...digestNow(bytes), damaged, reason: faults[0]?.message ?? null }
}
