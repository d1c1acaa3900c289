import type { PackPage } from '@packs/catalog'
import { z } from 'zod'
import { invalidParametersError } from '../errors/api-error.ts'
import { JSON_TYPE, REVALIDATE } from '../http/headers.ts'
import { difficulty, domain, parseQuery, search, wholeNumber, type QueryValues } from '../http/parse-query.ts'
import { writeIncompleteTag } from '../response-cache/etag.ts'
import { sendBody } from '../response-cache/send-body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { logDamaged } from '../errors/log-damaged.ts'
import { damagedField, summarySchema } from './pack-responses.ts'
import { revalidateOrCharge } from './revalidate-or-charge.ts'

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
export function createListPacksRoute({
  bodyCache,
  catalog,
  log,
  readSequence,
  quota,
  writeTag,
}: RouteContext): ApiRoute {
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
    revalidates: true,
    errorCodes: [],
    async handle(request, reply) {
      const values = parseQuery(request.url, query)
      if (values.page * values.limit > MAX_REACHABLE_PACKS) throw pageTooDeepError()
      const sequence = await readSequence()
      const name = JSON.stringify(values)
      const tag = writeTag(sequence, name, listSchema)
      const response = { tag, weak: true, caching: REVALIDATE }
      if (await revalidateOrCharge(quota, request, reply, response)) return reply
      const body = await bodyCache.obtain(`${sequence} ${name}`, async () => {
        const found = separateInvalid(
          await catalog.packs.list({
            domain: values.domain,
            difficulty: values.difficulty,
            search: values.search,
            maxTokens: values.max_tokens,
            limit: values.limit,
            offset: (values.page - 1) * values.limit,
          }),
        )
        logDamaged(log, request, found.damaged)
        const isIncomplete = found.damaged.length > 0
        return {
          ...writePage(values, found),
          type: JSON_TYPE,
          tag: isIncomplete ? writeIncompleteTag(tag) : tag,
          weak: true,
          isIncomplete,
        }
      })
      return sendBody(request, reply, body, REVALIDATE)
    },
  }
}

function pageTooDeepError(): Error {
  const detail =
    'page × limit is over 10,000: narrow the search, or get all packs with GET /api/v1/packs/download'
  return invalidParametersError([{ parameter: 'page', detail }])
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

function writePage(values: ListQuery, { packs, total, damaged }: PackPage): { text: string; link: string } {
  const { page, limit } = values
  const pages = Math.min(Math.ceil(total / limit), Math.floor(MAX_REACHABLE_PACKS / limit))
  const next = page < pages ? writePath(values, page + 1) : null
  const value = listSchema.parse({
    data: packs,
    meta: { total, page, limit, pages, next, ...(damaged.length > 0 && { damaged }) },
  })
  const links = [
    ['next', page < pages ? page + 1 : 0],
    ['prev', Math.min(page - 1, pages)],
    ['first', 1],
    ['last', pages],
  ] as const
  const shown = links
    .filter(([, to]) => to > 0)
    .map(([rel, to]) => `<${writePath(values, to)}>; rel="${rel}"`)
  return { text: JSON.stringify(value), link: shown.join(', ') }
}

function writePath(values: ListQuery, page: number): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...values, page })) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return `/api/v1/packs?${parameters.toString()}`
}
