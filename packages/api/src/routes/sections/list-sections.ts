import type { SectionReads } from '@packs/catalog'
import { writeOutlineLine } from '@packs/codec/sections'
import { z } from 'zod'
import { requireCaller } from '../../hooks/caller.ts'
import { JSON_TYPE } from '../../http/headers.ts'
import { parseQuery, wholeNumber, type QueryValues } from '../../http/parse-query.ts'
import type { FoundPack } from '../../response-cache/pack-finder.ts'
import { identifyFormat } from '../../response-cache/etag.ts'
import type { ApiRoute, RouteContext } from '../api-route.ts'
import { packFields } from '../pack-responses.ts'
import { createVersionRoutes, findRequestedVersion, sendVersion } from '../send-version.ts'
import { hashName, requireFound, sectionNames } from './section-responses.ts'

/** A pack of the maximum size may have millions of headings, but hardly any has a thousand. */
const MAX_PAGE = 100_000

const query = {
  page: wholeNumber(1, MAX_PAGE).default(1).describe('Page number, from 1'),
  limit: wholeNumber(1, 1000).default(1000).describe('Sections per page'),
}

const outlineSchema = z
  .object({
    data: z.array(
      z.object({
        ...sectionNames,
        level: z.int().min(0).max(6).describe('Level of the heading; 0 for `~intro`'),
        tokens: z.int().describe('Tokens as plain text'),
        subtree_tokens: z.int().describe('Tokens as plain text, with the sections below it'),
        in_preview: z
          .boolean()
          .describe('Whether it is entirely in the preview, so that Free accounts get it'),
      }),
    ),
    meta: z.object({
      slug: packFields.slug,
      version: packFields.version,
      tokens: z.int().describe('Tokens of the whole pack as plain text'),
      total: z.int().describe('Sections of the version'),
      in_preview: z.int().describe('Number of sections, from the first, that are entirely in the preview'),
      page: z.int(),
      limit: z.int(),
      pages: z.int(),
      next: z.string().nullable().describe('Path and query of the next page; null on the last page'),
    }),
  })
  .meta({ title: 'Outline of a pack' })

/** `GET /packs/{id}/sections`, and the same for a version: the outline, for every tier. */
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
    query,
    bodies: { 'application/json': outlineSchema },
    async handle(request, reply) {
      const values = parseQuery(request.url, query)
      const [path] = request.url.split('?', 1)
      const reader = context.sections.for(requireCaller(request).account.id)
      return sendVersion(context, request, reply, {
        ...(await findRequestedVersion(context, request)),
        // `next` repeats the path.
        variant: `sections.${values.page}.${values.limit}.${hashName(path ?? '')}.${identifyFormat(outlineSchema)}`,
        createSource: async (found, tag) => ({
          text: await writeOutline(reader, found, values, path ?? ''),
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
  { page, limit }: QueryValues<typeof query>,
  path: string,
): Promise<string> {
  const { slug, version, plainTokens, sequence } = found
  const { sections, preview, total, open } = requireFound(
    await reader.page(sequence, (page - 1) * limit, limit),
  )
  const next = page * limit < total ? `${path}?page=${page + 1}&limit=${limit}` : null
  const numbers = { page, limit, pages: Math.ceil(total / limit), next }
  const data = sections.map((section) => writeOutlineLine(section, preview))
  const meta = { slug, version, tokens: plainTokens, total, in_preview: open, ...numbers }
  return JSON.stringify(outlineSchema.parse({ data, meta }))
}
