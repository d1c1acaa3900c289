import type { OutlinedSection } from '@packs/codec/sections'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError, tierRequiredError } from '../../errors/api-error.ts'
import { requireCaller } from '../../hooks/caller.ts'
import { JSON_TYPE, MARKDOWN_TYPE, prefersType } from '../../http/headers.ts'
import { parseQuery, yesOrNo } from '../../http/parse-query.ts'
import type { BodySource } from '../../response-cache/body.ts'
import type { FoundPack } from '../../response-cache/pack-finder.ts'
import { identifyFormat } from '../../response-cache/etag.ts'
import type { ApiRoute, RouteContext } from '../api-route.ts'
import { formatForPrompt, packFields } from '../pack-responses.ts'
import {
  createVersionRoutes,
  findRequestedVersion,
  formatVersionTag,
  sendVersion,
  type VersionResponse,
} from '../send-version.ts'
import { hashName, requireFound, sectionNames } from './section-responses.ts'

const query = {
  subtree: yesOrNo
    .optional()
    .default(false)
    .describe('Whether to include the sections below it: `true` or `false`'),
}

const sectionSchema = z
  .object({
    ...sectionNames,
    pack: packFields.slug.describe('Slug of the pack'),
    version: packFields.version,
    content: z.string().describe('The section, compressed if that is cheaper, else plain text'),
    rosetta: z
      .string()
      .describe('Header with the entries that the content uses; just `[DECODE]` if it is plain'),
    compression: packFields.compression.describe('`none` if the content is plain'),
    token_count: z.int().describe('Tokens of the content'),
    rosetta_tokens: z.int().describe('Tokens of the header; 0 if the content is plain'),
    uncompressed_estimate: z.int().describe('Tokens as plain text'),
    net_savings_pct: z.number().describe('Savings of content and header together, in percent of plain text'),
    sha256: packFields.sha256.describe('SHA-256 of the decoded section as UTF-8'),
  })
  .meta({ title: 'Section of a pack' })

/**
 * `GET /packs/{id}/sections/{section}`, and the same for a version: one section, alone or with
 * those below it.
 */
export function createGetSectionRoutes(context: RouteContext): readonly ApiRoute[] {
  return createVersionRoutes({
    path: '/sections/:section',
    parameters: { section: 'Id of the section, as in the list of sections' },
    latest: {
      operationId: 'getPackSection',
      summary: 'Get one section of a pack',
      description:
        'A section of the latest version, alone or with the sections below it. Decoding `content` with `rosetta` gives its exact bytes. Free accounts get sections that are entirely in the preview, as plain text; for others the error is `tier_required`. `Accept: text/markdown` returns text to paste into a prompt.',
    },
    version: {
      operationId: 'getVersionSection',
      summary: 'Get one section of one version',
      description: 'A section of a version, which never changes. It is cached like the version.',
    },
    query,
    bodies: {
      'application/json': sectionSchema,
      'text/markdown': z
        .string()
        .describe('Header, empty line and content, to paste into a prompt; without a header if it is plain'),
    },
    errorCodes: ['tier_required', 'section_not_found'],
    handle: (request, reply) => sendSection(context, request, reply),
  })
}

interface SectionRequest {
  readonly id: string
  readonly subtree: boolean
  readonly scope: 'full' | 'preview'
  readonly format: 'json' | 'markdown'
  readonly owner: string
}

async function sendSection(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { subtree } = parseQuery(request.url, query)
  const { section: id } = request.params as { readonly section: string }
  const { id: owner, tier } = requireCaller(request).account
  const scope = tier === 'pro' ? 'full' : 'preview'
  const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
  const wanted: SectionRequest = { id, subtree, scope, format, owner }
  const variant = `section.${hashName(`${id} ${subtree}`)}.${scope}.${format}.${identifyFormat(sectionSchema)}`
  const response: VersionResponse = {
    ...(await findRequestedVersion(context, request)),
    variant,
    createSource: (found, tag) => createSectionBody(context, found, wanted, tag),
  }
  const { remaining } = await context.quota.peek(request, reply)
  // With no requests left the response is a 304 or a 429, whether or not the section exists.
  const error = remaining === 0 ? undefined : await findSectionError(context, response, wanted)
  const missing = error && { found: undefined, notFoundError: () => error }
  return sendVersion(context, request, reply, { ...response, ...missing })
}

/**
 * Returns the error for an unknown section, which is charged. A cached body shows that the section
 * exists.
 *
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
  { id, subtree, scope, format, owner }: SectionRequest,
  tag: string,
): Promise<BodySource> {
  const reader = sections.for(owner)
  const section = requireFound((await reader.find(sequence, id))?.section)
  const slice = await reader.slice(sequence, findPart(section, subtree), scope)
  const fields = { tag, weak: false }
  if (format === 'markdown') return { ...fields, type: MARKDOWN_TYPE, text: formatForPrompt(slice) }
  const { title, path } = section
  const value = sectionSchema.parse({ ...slice, id, title, path, pack: slug, version })
  return { ...fields, type: JSON_TYPE, text: JSON.stringify(value) }
}
