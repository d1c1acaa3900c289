import type { PackSearchPage, Tier } from '@packs/catalog'
import { z } from 'zod'
import { requireCaller } from '../hooks/caller.ts'
import { difficulty, domain, parseQuery, question, wholeNumber } from '../http/parse-query.ts'
import type { QueryValues } from '../http/parse-query.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { damagedField, describeFor, packFields, integer } from './pack-responses.ts'
import { sectionNames } from './get-sections.ts'
import { checkDepth, type ListValue, sendList, writePath } from './send-list.ts'

const MAX_REACHABLE_HITS = 1000

const query = {
  q: question,
  domain: domain.optional(),
  difficulty: difficulty.optional(),
  max_tokens: wholeNumber(1, 99_999_999)
    .optional()
    .describe(
      'Maximum tokens of a hit: the text of a section, or content and header of a pack; for Free accounts rounded down to a multiple of 50',
    ),
  page: wholeNumber(1, MAX_REACHABLE_HITS)
    .default(1)
    .describe('Page number, from 1; page × limit is at most 1,000'),
  limit: wholeNumber(1, 50).default(10).describe('Hits per page'),
}

type SearchValues = QueryValues<typeof query>

const hitShape = {
  section: z
    .object({ ...sectionNames, tokens: integer('Tokens as plain text') })
    .nullable()
    .describe('The matching section; null if the pack as a whole matches'),
  snippet: z
    .string()
    .nullable()
    .describe('Text around the match, at most 240 characters; null if the tier may not read it'),
  matched: z.array(z.enum(['title', 'heading', 'text'])).describe('Where the words were found'),
}

const searchSchema = z
  .object({
    data: z.array(
      z.object({
        pack: z.object({
          id: packFields.id,
          slug: packFields.slug,
          title: z.string(),
          version: packFields.version,
          pack_digest: packFields.pack_digest
            .nullable()
            .describe('Digest of the version; null for Free accounts'),
          domain_slug: packFields.domain_slug,
          difficulty: packFields.difficulty,
          token_count: packFields.token_count,
          rosetta_tokens: packFields.rosetta_tokens,
          uncompressed_estimate: packFields.uncompressed_estimate,
        }),
        ...hitShape,
        also: z.array(z.object(hitShape)).describe('More sections of the pack; only in its second hit'),
      }),
    ),
    meta: z.object({
      total: integer('Hits on all pages'),
      page: z.int(),
      limit: z.int(),
      next: z.string().nullable().describe('Path and query of the next page; null on the last page'),
      query: z.object({
        corrected: z
          .string()
          .nullable()
          .describe(
            'The query with unknown words replaced by words from the catalog; null if none was replaced',
          ),
      }),
      damaged: damagedField,
    }),
  })
  .meta({ title: 'Page of hits' })

export function createSearchPacksRoute(context: RouteContext): ApiRoute {
  return {
    path: '/search',
    operationId: 'searchPacks',
    summary: 'Search packs and sections',
    description:
      'The sections and packs that answer a query, best first. It finds words in titles, headings and text, in other forms and with small misspellings. `data` has at most two hits of a pack; `also` of the second one lists the others. Every tier searches all text, but snippets show only what the tier may read.',
    query,
    bodies: { 'application/json': searchSchema },
    headers: ['etag', 'content-digest'],
    async handle(request, reply) {
      const values = parseQuery(request.url, query)
      checkDepth(values, MAX_REACHABLE_HITS, 'use more words, or filter by domain and difficulty')
      const sequence = await context.readSequence()
      const { id: owner, tier } = requireCaller(request).account
      const scope = tier === 'pro' ? 'full' : 'preview'
      const name = JSON.stringify([values, scope])
      const create = async (): Promise<ListValue> => {
        const { q: text, page, limit, max_tokens: maxTokens, ...filters } = values
        const wanted = { ...filters, text, maxTokens, limit, offset: (page - 1) * limit }
        const found = await context.packSearch.search(wanted, scope, owner)
        return { value: describePage(values, tier, found), damaged: found.damaged }
      }
      return sendList(context, reply, { sequence, name, schema: searchSchema, create })
    },
  }
}

function describePage(
  values: SearchValues,
  tier: Tier,
  { hits, total, corrected, damaged }: PackSearchPage,
): object {
  const { page, limit } = values
  const reachable = Math.min(total, MAX_REACHABLE_HITS - (MAX_REACHABLE_HITS % limit))
  return {
    data: hits.map((hit) => ({ ...hit, pack: describeFor(tier, hit.pack) })),
    meta: {
      total,
      page,
      limit,
      next: page * limit < reachable ? writePath('/search', { ...values, page: page + 1 }) : null,
      query: { corrected },
      ...(damaged.length > 0 && { damaged }),
    },
  }
}
