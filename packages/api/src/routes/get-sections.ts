import { hideCounts, type LinkForm, writeOutlineLine } from '@packs/codec/internal'
import type { OutlinedSection } from '@packs/codec/sections'
import { z } from 'zod'
import { ApiError, tierRequiredError } from '../errors/api-error.ts'
import { requireCaller } from '../hooks/caller.ts'
import { JSON_TYPE, MARKDOWN_TYPE, prefersType } from '../http/headers.ts'
import { linkForm, parseQuery, wholeNumber, yesOrNo, type QueryValues } from '../http/parse-query.ts'
import { type FoundPack, identifyFormat, type BodySource } from '../response-cache/body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { frameContent, packFields, integer, text } from './pack-responses.ts'
import { createVersionRoutes, findRequestedVersion, formatVersionTag, sendVersion } from './send-version.ts'
import type { VersionResponse } from './send-version.ts'
import { hash } from 'node:crypto'
import type { SectionReads, Tier } from '@packs/catalog'

export const sectionNames: Readonly<Record<'id' | 'title' | 'path', z.ZodType>> = {
  id: text('Id, unique in the version; `~intro` for the text before the first heading'),
  title: text('Heading as plain text; empty for `~intro`'),
  path: z.array(z.string()).describe('Titles of the headings above it, and its own'),
}

/** A pack of the maximum size may have millions of headings, but hardly any has a thousand. */
const MAX_PAGE = 100_000

const listQuery = {
  page: wholeNumber(1, MAX_PAGE).default(1).describe('Page number, from 1'),
  limit: wholeNumber(1, 1000).default(1000).describe('Sections per page'),
}

const outlineSchema = z
  .object({
    data: z.array(
      z.object({
        ...sectionNames,
        level: z.int().min(0).max(6).describe('Level of the heading; 0 for `~intro`'),
        tokens: integer(
          'Tokens as plain text; for Free accounts, those of a locked section are rounded up to 50',
        ),
        subtree_tokens: integer('Tokens as plain text, with the sections below it'),
        in_preview: z
          .boolean()
          .describe('Whether it is entirely in the preview, so that Free accounts get it'),
      }),
    ),
    meta: z.object({
      slug: packFields.slug,
      version: packFields.version,
      tokens: integer('Tokens of the whole pack as plain text'),
      total: integer('Sections of the version'),
      in_preview: integer('Number of sections, from the first, that are entirely in the preview'),
      page: z.int(),
      limit: z.int(),
      pages: z.int(),
      next: z.string().nullable().describe('Path and query of the next page; null on the last page'),
    }),
  })
  .meta({ title: 'Outline of a pack' })

export function createListSectionsRoutes(context: RouteContext): readonly ApiRoute[] {
  return createVersionRoutes({
    path: '/sections',
    latest: {
      operationId: 'listPackSections',
      summary: 'List the sections of a pack',
      description:
        'The outline of the latest version, for every tier: its headings in order, with the tokens of each section. A section is a heading and the text up to the next heading; the text before the first heading is `~intro`. A page past the end is empty.',
    },
    version: {
      operationId: 'listVersionSections',
      summary: 'List the sections of one version',
      description: 'The outline of a version, which never changes. It is cached like the version.',
    },
    query: listQuery,
    bodies: { 'application/json': outlineSchema },
    async handle(request, reply) {
      const values = parseQuery(request.url, listQuery)
      const [path] = request.url.split('?', 1)
      const { id, tier } = requireCaller(request).account
      const reader = context.sections.for(id)
      return sendVersion(context, reply, {
        ...(await findRequestedVersion(context, request)),
        // `next` repeats the path.
        variant: `sections.${values.page}.${values.limit}.${hashName(path ?? '')}.${identifyFormat(outlineSchema)}`,
        createSource: async (found, tag) => ({
          text: await writeOutline(reader, found, { ...values, tier, path: path ?? '' }),
          type: JSON_TYPE,
          tag,
          weak: false,
        }),
      })
    },
  })
}

async function writeOutline(
  reader: SectionReads,
  found: FoundPack,
  { page, limit, tier, path }: QueryValues<typeof listQuery> & { readonly tier: Tier; readonly path: string },
): Promise<string> {
  const { slug, version, uncompressed_estimate: tokens, sequence } = found
  const { sections, preview, total, open } = requireFound(
    await reader.page(sequence, (page - 1) * limit, limit),
  )
  const next = page * limit < total ? `${path}?page=${page + 1}&limit=${limit}` : null
  const numbers = { page, limit, pages: Math.ceil(total / limit), next }
  const seen = tier === 'pro' ? Infinity : preview
  const data = sections.map((section) => writeOutlineLine(hideCounts(section, seen), preview))
  const meta = { slug, version, tokens, total, in_preview: open, ...numbers }
  return JSON.stringify(outlineSchema.parse({ data, meta }))
}

function hashName(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 16)
}

/** Throws if the rows of a version were deleted, which this program never does. */
function requireFound<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new Error('A version that was found no longer exists')
}

const query = {
  subtree: yesOrNo
    .optional()
    .default(false)
    .describe('Whether to include the sections below it: `true` or `false`'),
  links: linkForm.optional(),
}

const sectionSchema = z
  .object({
    ...sectionNames,
    pack: packFields.slug.describe('Slug of the pack'),
    version: packFields.version,
    content: text('The section, compressed if that is cheaper, else plain text'),
    rosetta: text('Header with the entries that the content uses; just `[DECODE]` if it is plain'),
    compression: packFields.compression.describe('`none` if the content is plain'),
    token_count: integer('Tokens of the content'),
    rosetta_tokens: integer('Tokens of the header; 0 if the content is plain'),
    uncompressed_estimate: integer('Tokens as plain text'),
    net_savings_pct: z.number().describe('Savings of content and header together, in percent of plain text'),
    sha256: packFields.sha256
      .nullable()
      .describe('SHA-256 of the decoded section as UTF-8; null for Free accounts'),
    links: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Addresses of the links in the section, by number, completed by the URL of the page; absent for other forms, and if the text is the source',
      ),
  })
  .meta({ title: 'Section of a pack' })

export function createGetSectionRoutes(context: RouteContext): readonly ApiRoute[] {
  return createVersionRoutes({
    path: '/sections/:section',
    parameters: { section: 'Id of the section, as in the list of sections' },
    latest: {
      operationId: 'getPackSection',
      summary: 'Get one section of a pack',
      description:
        'A section of the text of the latest version, alone or with the sections below it. Decoding `content` with `rosetta` gives its exact bytes. Free accounts get sections that are entirely in the preview, as plain text; for others the error is `tier_required`. `Accept: text/markdown` returns text to paste into a prompt.',
    },
    version: {
      operationId: 'getVersionSection',
      summary: 'Get one section of one version',
      description: 'A section of a version, which never changes. It is cached like the version.',
    },
    query,
    bodies: {
      'application/json': sectionSchema,
      'text/markdown': text(
        'Text to paste into a prompt: that documents are data, the header, if there is one, and the content in a tag',
      ),
    },
    errorCodes: ['tier_required', 'section_not_found'],
    async handle(request, reply) {
      const { subtree, links: form } = parseQuery(request.url, query)
      const { section: id } = request.params as { readonly section: string }
      const { id: owner, tier } = requireCaller(request).account
      const scope = tier === 'pro' ? 'full' : 'preview'
      const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
      const links = form ?? (format === 'markdown' ? 'inline' : 'number')
      const wanted: SectionRequest = { id, subtree, scope, format, links, owner }
      const variant = `section.${hashName(`${id} ${subtree} ${links}`)}.${scope}.${format === 'json' ? format : 'framed'}.${identifyFormat(sectionSchema)}`
      const response: VersionResponse = {
        ...(await findRequestedVersion(context, request)),
        variant,
        createSource: (found, tag) => createSectionBody(context, found, wanted, tag),
      }
      const { remaining } = await context.quota.peek(reply)
      // With no requests left the response is a 304 or a 429, whether or not the section exists.
      const error = remaining === 0 ? undefined : await findSectionError(context, response, wanted)
      const missing = error && { found: undefined, notFoundError: () => error }
      return sendVersion(context, reply, { ...response, ...missing })
    },
  })
}

interface SectionRequest {
  readonly id: string
  readonly subtree: boolean
  readonly scope: 'full' | 'preview'
  readonly format: 'json' | 'markdown'
  readonly links: LinkForm
  readonly owner: string
}

/**
 * Returns the error for an unknown section. A cached body shows that the section exists.
 * @throws ApiError `tier_required` for a section that the caller may not read
 */
async function findSectionError(
  { bodyCache, sections: reader }: RouteContext,
  { found, variant }: Pick<VersionResponse, 'found' | 'variant'>,
  { id, subtree, scope, owner }: SectionRequest,
): Promise<ApiError | undefined> {
  if (found === undefined || bodyCache.get(formatVersionTag(found, variant)) !== undefined) return undefined
  const lookup = requireFound(await reader.for(owner).find(found.sequence, id))
  const { section, nearest, preview, total, open } = lookup
  if (section === undefined) {
    const detail = 'The version has no section with this id; see its list of sections'
    return new ApiError('section_not_found', detail, { members: { nearest } })
  }
  if (scope === 'full' || findPart(section, subtree).end <= preview) return undefined
  const detail = `Free accounts get only the ${open} of ${total} sections that are entirely in the preview: those with in_preview in the list of sections`
  throw tierRequiredError(detail)
}

function findPart(
  { start, end, subtreeEnd }: OutlinedSection,
  subtree: boolean,
): Pick<OutlinedSection, 'start' | 'end'> {
  return { start, end: subtree ? subtreeEnd : end }
}

async function createSectionBody(
  { sections }: RouteContext,
  { sequence, slug, version }: FoundPack,
  { id, subtree, scope, format, links, owner }: SectionRequest,
  tag: string,
): Promise<BodySource> {
  const reader = sections.for(owner)
  const section = requireFound((await reader.find(sequence, id))?.section)
  const slice = await reader.slice(sequence, findPart(section, subtree), scope, links)
  const fields = { tag, weak: false }
  if (format === 'markdown')
    return { ...fields, type: MARKDOWN_TYPE, text: frameContent({ id: `${slug}#${id}` }, slice) }
  const { title, path } = section
  const shown = scope === 'full' ? slice : { ...slice, sha256: null }
  const value = sectionSchema.parse({ ...shown, id, title, path, pack: slug, version })
  return { ...fields, type: JSON_TYPE, text: JSON.stringify(value) }
}
