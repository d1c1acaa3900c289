import type { PackPage } from '@packs/catalog'
import { z } from 'zod'
import { difficulty, domain, parseQuery, search, wholeNumber, type QueryValues } from '../http/parse-query.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { damagedField, summarySchema } from './pack-responses.ts'
import { checkDepth, type ListValue, sendList, writePath } from './send-list.ts'

/** Packs that pages can reach; the download has no such limit. */
const MAX_REACHABLE_PACKS = 10_000

const query = {
  domain: domain.optional(),
  search: search.optional(),
  difficulty: difficulty.optional(),
  max_tokens: wholeNumber(1, 99_999_999).optional().describe('Maximum tokens of content and header together'),
  page: wholeNumber(1, MAX_REACHABLE_PACKS)
    .default(1)
    .describe('Page number, from 1; page × limit is at most 10,000'),
  limit: wholeNumber(1, 100).default(20).describe('Packs per page'),
}

type ListQuery = QueryValues<typeof query>

const listSchema = z
  .object({
    data: z.array(summarySchema),
    meta: z.object({
      total: z.int().describe('Matching packs, including those beyond the last page'),
      page: z.int(),
      limit: z.int(),
      pages: z.int().describe('Available pages; 0 if nothing matches'),
      next: z.string().nullable().describe('Path and query of the next page; null on the last'),
      damaged: damagedField,
    }),
  })
  .meta({ title: 'Page of packs' })

/** `GET /packs`: lists and searches packs. */
export function createListPacksRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs',
    operationId: 'listPacks',
    summary: 'List and search packs',
    description:
      'Packs ordered by title (NFKC, lower case, by code point), then id. Entries have every field except the texts, for every tier. A page past the end is empty.',
    parameters: {},
    query,
    bodies: { 'application/json': listSchema },
    headers: ['etag', 'content-digest', 'link'],
    errorCodes: [],
    async handle(request, reply) {
      const values = parseQuery(request.url, query)
      const advice = 'narrow the search, or get all packs with GET /api/v1/packs/download'
      checkDepth(values, MAX_REACHABLE_PACKS, advice)
      const { page, limit, max_tokens: maxTokens, ...filters } = values
      const create = async (): Promise<ListValue> => {
        const listed = { ...filters, maxTokens, limit, offset: (page - 1) * limit }
        return describePage(values, separateInvalid(await context.catalog.packs.list(listed)))
      }
      const sequence = await context.readSequence()
      const response = { sequence, name: JSON.stringify(values), schema: listSchema, create }
      return sendList(context, request, reply, response)
    },
  }
}

/** Moves packs that the interface does not allow to the damaged ones. */
function separateInvalid(page: PackPage): PackPage {
  const isValid = page.packs.map((pack) => summarySchema.safeParse(pack).success)
  if (isValid.every(Boolean)) return page
  const invalid = page.packs.filter((_pack, at) => !isValid[at])
  return {
    ...page,
    packs: page.packs.filter((_pack, at) => isValid[at]),
    damaged: [...page.damaged, ...invalid.map(({ slug, version }) => ({ slug, version }))],
  }
}

function describePage(values: ListQuery, { packs, total, damaged }: PackPage): ListValue {
  const { page, limit } = values
  const pages = Math.min(Math.ceil(total / limit), Math.floor(MAX_REACHABLE_PACKS / limit))
  const write = (to: number): string => writePath('/packs', { ...values, page: to })
  const next = page < pages ? write(page + 1) : null
  const meta = { total, page, limit, pages, next, ...(damaged.length > 0 && { damaged }) }
  const links = [
    ['next', page < pages ? page + 1 : 0],
    ['prev', Math.min(page - 1, pages)],
    ['first', 1],
    ['last', pages],
  ] as const
  const shown = links.filter(([, to]) => to > 0).map(([rel, to]) => `<${write(to)}>; rel="${rel}"`)
  return { value: { data: packs, meta }, link: shown.join(', '), damaged }
}
