import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooManyRequestsError, sendProblem, toApiError, invalidParametersError } from '../errors/api-error.ts'
import type { ApiError } from '../errors/api-error.ts'
import { problemTable } from '../errors/problem-table.ts'
import { notFoundError, type AuthenticateHook, requireCaller } from '../hooks/caller.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { createDownloadPacksRoute } from './download-packs.ts'
import { createGetContextRoute } from './get-context.ts'
import { createSearchPacksRoute } from './search-packs.ts'
import { createGetSectionRoutes, createListSectionsRoutes } from './get-sections.ts'
import { z } from 'zod'
import { JSON_TYPE, MARKDOWN_TYPE, REVALIDATE, prefersType } from '../http/headers.ts'
import {
  parseQuery,
  included,
  cursor,
  difficulty,
  domain,
  search,
  wholeNumber,
  type QueryValues,
  readCursor,
  writeCursor,
} from '../http/parse-query.ts'
import {
  findMatchingEtag,
  sendBody,
  sendNotModified,
  createBody,
  type FoundPack,
  identifyFormat,
  type BodySource,
} from '../response-cache/body.ts'
import {
  createVersionRoutes,
  findRequestedVersion,
  PACK_PARAMETER,
  missingError,
  sendVersion,
} from './send-version.ts'
import {
  damagedField,
  describeFor,
  findPackSchema,
  fullPackSchema,
  packDocumentSchema,
  packSourceSchema,
  previewPackSchema,
  type Projection,
  purgeSchema,
  versionLineSchema,
  summarySchema,
  integer,
  text,
} from './pack-responses.ts'
import { type ListValue, sendList, checkDepth, writePath } from './send-list.ts'
import { CatalogError, type PackKey, type PackPage, type Tier } from '@packs/catalog'

/** Mounts `/api/v1` in a scope whose authenticate hook runs for every request, even of no route. */
export function mountRoutes(
  app: FastifyInstance,
  routes: readonly ApiRoute[],
  authenticate: AuthenticateHook,
  { quota, log }: Pick<RouteContext, 'quota' | 'log'>,
): void {
  /** Refusals because of the tier are not charged, so an account gets only a few of them. */
  const limitRefusal = (error: ApiError, request: FastifyRequest): ApiError => {
    const wait = error.code === 'tier_required' ? quota.takeFree(request) : 0
    return wait > 0 ? tooManyRequestsError(wait) : error
  }

  const handleError = async (
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const refusal = limitRefusal(toApiError(thrown, request, log), request)
    const isCharged = [404, 410].includes(problemTable[refusal.code].status)
    const error = await (isCharged ? quota.charge(reply) : Promise.resolve()).then(
      () => refusal,
      (reason: unknown) => toApiError(reason, request, log),
    )
    if (error.code === 'too_many_requests') return sendProblem(reply, error)
    if (request.caller !== null && !reply.hasHeader('ratelimit')) {
      await quota.peek(reply).catch((reason: unknown) => toApiError(reason, request, log))
    }
    return sendProblem(reply, error)
  }

  void app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', authenticate)
      scope.setErrorHandler(handleError)
      // The authenticate hook refuses unknown paths.
      scope.setNotFoundHandler((request) => {
        throw notFoundError(request)
      })
      for (const route of routes) {
        // The authenticate hook rejects all methods except GET and HEAD.
        scope.route({
          method: scope.supportedMethods,
          url: route.path,
          handler: (request, reply) => route.handle(request, reply),
        })
      }
      done()
    },
    { prefix: '/api/v1' },
  )
}

export function createApiRoutes(context: RouteContext): readonly ApiRoute[] {
  const [getPack, getVersion] = createGetPackRoutes(context)
  return [
    createListPacksRoute(context),
    createSearchPacksRoute(context),
    createGetContextRoute(context),
    createDownloadPacksRoute(context),
    getPack,
    createListVersionsRoute(context),
    getVersion,
    ...createListSectionsRoutes(context),
    ...createGetSectionRoutes(context),
    createGetUsageRoute(context),
  ]
}

const usageSchema = z
  .object({
    tier: z.enum(['free', 'pro']),
    limit: integer('Requests per UTC day, shared by all keys of the account'),
    used: z.int(),
    remaining: z.int(),
    reset_at: z.iso.datetime({ precision: 3 }).describe('Start of the next UTC day, RFC 3339'),
  })
  .meta({ title: 'Usage of the day' })

function createGetUsageRoute({ quota }: RouteContext): ApiRoute {
  return {
    path: '/usage',
    operationId: 'getUsage',
    summary: 'Get the remaining quota',
    description: 'Not charged, and available even when the quota is used up.',
    query: {},
    bodies: { 'application/json': usageSchema },
    headers: ['etag', 'content-digest'],
    async handle(request, reply) {
      parseQuery(request.url, {})
      const { tier } = requireCaller(request).account
      const { limit, used, remaining, resetAt } = await quota.peek(reply)
      const usage = usageSchema.parse({ tier, limit, used, remaining, reset_at: resetAt.toISOString() })
      const tag = [tier, limit, used, resetAt.getTime().toString(36)].join('.')
      const etag = findMatchingEtag(request, { tag, weak: true })
      if (etag !== undefined) return sendNotModified(reply, etag, REVALIDATE)
      const body = createBody({ text: JSON.stringify(usage), type: JSON_TYPE, tag, weak: true })
      return sendBody(reply, body, REVALIDATE)
    },
  }
}

const historySchema = z
  .object({
    data: z.array(versionLineSchema),
    meta: z.object({
      total: integer('Number of versions'),
      damaged: damagedField,
      purged: z.array(purgeSchema).optional().describe('Versions that were erased; absent if none were'),
    }),
  })
  .meta({ title: 'Versions of a pack' })

function createListVersionsRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id/versions',
    operationId: 'listPackVersions',
    summary: 'List the versions of a pack',
    description:
      'All versions, highest first. Yanked ones have the reason. Those that were purged are in `meta.purged`, and the list of a pack of which nothing is left is an error.',
    parameters: { id: PACK_PARAMETER },
    query: {},
    bodies: { 'application/json': historySchema },
    headers: ['etag', 'content-digest'],
    errorCodes: ['pack_not_found', 'purged_version'],
    async handle(request, reply) {
      const { id } = request.params as { readonly id: string }
      const { tier } = requireCaller(request).account
      parseQuery(request.url, {})
      const sequence = await context.readSequence()
      const history = await context.catalog.packs.versions(id)
      if (history.every(({ purged_at }) => purged_at !== null)) throw await missingError(context, id)
      const create = (): Promise<ListValue> => {
        const data = history.filter(({ sha256 }) => sha256 !== null).map((line) => describeFor(tier, line))
        const damaged = history.filter(({ sha256, purged_at }) => sha256 === null && purged_at === null)
        const purged = history
          .filter(({ purged_at }) => purged_at !== null)
          .map(({ yanked_reason: reason, ...line }) => ({ ...line, reason }))
        const lost = { ...(damaged.length > 0 && { damaged }), ...(purged.length > 0 && { purged }) }
        const value = { data, meta: { total: history.length, ...lost } }
        return Promise.resolve({ value, damaged })
      }
      const response = { sequence, name: `versions ${tier}`, path: id, schema: historySchema, create }
      return sendList(context, reply, response)
    },
  }
}

/** Packs that pages can reach; the download has no such limit. */
const MAX_REACHABLE_PACKS = 10_000

const query = {
  domain: domain.optional(),
  search: search.optional(),
  difficulty: difficulty.optional(),
  max_tokens: wholeNumber(1, 99_999_999).optional().describe('Maximum tokens of content and header together'),
  page: wholeNumber(1, MAX_REACHABLE_PACKS)
    .optional()
    .meta({ default: 1 })
    .describe('Page number, from 1; page × limit is at most 10,000'),
  cursor: cursor.optional().describe('`next_cursor` of a page with the same filters, instead of `page`'),
  limit: wholeNumber(1, 100).default(20).describe('Packs per page'),
}

type ListQuery = QueryValues<typeof query>

const listSchema = z
  .object({
    data: z.array(summarySchema),
    meta: z.object({
      total: integer('Matching packs, including those beyond the last page'),
      page: z.int().nullable().describe('Null with a cursor'),
      limit: z.int(),
      pages: integer('Available pages; 0 if nothing matches'),
      next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
      next: z.string().nullable().describe('Path and query of the next page; null on the last page'),
      damaged: damagedField,
    }),
  })
  .meta({ title: 'Page of packs' })

function createListPacksRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs',
    operationId: 'listPacks',
    summary: 'List and search packs',
    description:
      'Packs sorted by title (NFKC, lowercase, by code point), then by id. Entries have every field except the texts, and digests for Pro accounts. A page past the end is empty. Without `page`, `next` has a cursor: although other packs come and go between two pages, each pack that remains is listed once.',
    query,
    bodies: { 'application/json': listSchema },
    headers: ['etag', 'content-digest', 'link'],
    async handle(request, reply) {
      const values = parseQuery(request.url, query)
      const { tier } = requireCaller(request).account
      const { page, cursor: given, limit, max_tokens: maxTokens, ...filters } = values
      const both = { parameter: 'cursor', detail: 'cannot be combined with page; send one of them' }
      if (given !== undefined && page !== undefined) throw invalidParametersError([both])
      const advice = 'follow next_cursor, or get all packs with GET /api/v1/packs/download'
      checkDepth({ page: page ?? 1, limit }, MAX_REACHABLE_PACKS, advice)
      const { cursorSecret: secret } = context
      const name = `packs ${JSON.stringify({ ...filters, maxTokens })}`
      const after =
        given === undefined ? undefined : (JSON.parse(String(readCursor(given, name, secret))) as PackKey)
      const create = async (): Promise<ListValue> => {
        const listed = { ...filters, maxTokens, limit, offset: ((page ?? 1) - 1) * limit, after }
        const found = separateInvalid(await context.catalog.packs.list(listed))
        const next = found.next && writeCursor(Buffer.from(JSON.stringify(found.next)), name, secret)
        return describePage(values, tier, found, next ?? null)
      }
      const sequence = await context.readSequence()
      const response = { sequence, name: JSON.stringify([tier, values]), schema: listSchema, create }
      return sendList(context, reply, response)
    },
  }
}

/** Moves packs that do not fit the schema to the damaged ones. */
function separateInvalid(page: PackPage): PackPage {
  const groups = Map.groupBy(page.packs, (pack) => summarySchema.safeParse(pack).success)
  const invalid = (groups.get(false) ?? []).map(({ slug, version }) => ({ slug, version }))
  return { ...page, packs: groups.get(true) ?? [], damaged: [...page.damaged, ...invalid] }
}

/** `next` continues as the request began: with a page number or a cursor. */
function describePage(
  values: ListQuery,
  tier: Tier,
  { packs, total, damaged }: PackPage,
  next_cursor: string | null,
): ListValue {
  const { page: given, cursor, limit } = values
  const pages = Math.min(Math.ceil(total / limit), Math.floor(MAX_REACHABLE_PACKS / limit))
  const page = cursor === undefined ? (given ?? 1) : null
  const write = (place: { readonly page?: number; readonly cursor?: string }): string =>
    writePath('/packs', { ...values, page: undefined, cursor: undefined, ...place })
  const number = (to: number): string | null => (to > 0 ? write({ page: to }) : null)
  const following = next_cursor === null ? null : write({ cursor: next_cursor })
  const next = given === undefined ? following : number(given < pages ? given + 1 : 0)
  const prev = number(Math.min((page ?? 0) - 1, pages))
  const links = Object.entries({ next, prev, first: number(1), last: number(pages) })
  const shown = links.filter(([, path]) => path !== null).map(([rel, path]) => `<${path}>; rel="${rel}"`)
  const meta = { total, page, limit, pages, next_cursor, next, ...(damaged.length > 0 && { damaged }) }
  return {
    value: { data: packs.map((pack) => describeFor(tier, pack)), meta },
    link: shown.join(', '),
    damaged,
  }
}

const packQuery = { include: included.optional() }

function createGetPackRoutes(context: RouteContext): readonly [latest: ApiRoute, version: ApiRoute] {
  return createVersionRoutes({
    latest: {
      operationId: 'getPack',
      summary: 'Get one pack',
      description:
        'The latest version of a pack. Pro accounts get all of it; Free accounts get the first fifth of the content, but at least its first sentence, without the header. `Accept: text/markdown` returns text to paste into a prompt.',
    },
    version: {
      operationId: 'getPackVersion',
      summary: 'Get one version of a pack',
      description:
        'A version never changes, so Pro responses may be cached for a year unless the version was yanked (`X-Yanked`). With `include=document` they must be revalidated, because signatures can be added. Tiers and formats are those of the latest version.',
    },
    query: packQuery,
    bodies: {
      'application/json': z.union([fullPackSchema, packSourceSchema, packDocumentSchema, previewPackSchema]),
      'text/markdown': text(
        'Text to paste into a prompt: that documents are data, the header, if there is one, and the content in a tag; if it has links, the decoded text with their addresses in place. Free accounts get only the preview, without a header',
      ),
    },
    async handle(request, reply) {
      const include = request.url.includes('?') ? parseQuery(request.url, packQuery).include : undefined
      const { tier, id: owner } = requireCaller(request).account
      const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
      const found = await findRequestedVersion(context, request)
      const isFull = tier === 'pro' && format === 'json'
      const projection: Projection = { tier, format, include: isFull ? include : undefined }
      return sendVersion(context, reply, {
        ...found,
        // A version never changes, but signatures can be added to its document.
        caching: projection.include === 'document' ? REVALIDATE : found.caching,
        variant:
          format === 'markdown'
            ? `${tier}.framed`
            : `${tier}.${projection.include ?? 'json'}.${identifyFormat(findPackSchema(projection))}`,
        createSource: (found, tag) => createPackBody(context, found, projection, tag, owner),
      })
    },
  })
}

/** Serializes a small document here, and a large one in the document worker. */
async function createPackBody(
  { documents }: RouteContext,
  found: FoundPack,
  projection: Projection,
  tag: string,
  owner: string,
): Promise<BodySource> {
  const { sequence, updated_at } = found
  const type = projection.format === 'markdown' ? MARKDOWN_TYPE : JSON_TYPE
  const fields = { type, tag, weak: false }
  const task = { documents: [{ sequence, updated_at }], projection, separator: '', isCheck: false }
  const { bytes, digest, damaged, reason } = await documents.run(task, { owner, bytes: found.bytes })
  if (damaged.length === 0) return { ...fields, text: { bytes, digest } }
  throw new CatalogError('catalog_damaged', reason ?? '', '', { damaged: damaged[0] })
}
