import { finished } from 'node:stream'
import { CatalogError } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { requireCaller } from '../hooks/caller.ts'
import { IMMUTABLE, REVALIDATE } from '../http/headers.ts'
import { prefersType } from '../http/negotiate.ts'
import { parseQuery } from '../http/parse-query.ts'
import type { Body, BodySource } from '../response-cache/body.ts'
import type { FoundPack } from '../response-cache/cached-catalog.ts'
import { identifyFormat } from '../response-cache/etag.ts'
import { sendBody } from '../response-cache/send-body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import {
  findType,
  fullPackSchema,
  previewPackSchema,
  projectPack,
  type Projection,
} from './pack-responses.ts'
import { revalidateOrCharge } from './revalidate-or-charge.ts'

/** Larger documents are serialised in the thread of documents. */
const MAX_OWN_BYTES = 128 * 1024

export const PACK_PARAMETER = 'Id (`pk_…`) or slug of the pack'

const packBodies = {
  'application/json': z.union([fullPackSchema, previewPackSchema]),
  'text/markdown': z
    .string()
    .describe('Header, empty line and content, to paste into a prompt; only the preview for Free accounts'),
}

/** `GET /packs/{id}`: the latest version of a pack. */
export function createGetPackRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id',
    operationId: 'getPack',
    summary: 'Get one pack',
    description:
      'The latest version of a pack. Pro accounts get all of it; Free accounts get the first fifth of the content, without the decoder header and with the same keys. `Accept: text/markdown` returns text to paste into a prompt.',
    parameters: { id: PACK_PARAMETER },
    query: {},
    bodies: packBodies,
    headers: ['etag', 'content-digest'],
    revalidates: true,
    errorCodes: ['pack_not_found', 'internal_error', 'damaged_pack'],
    async handle(request, reply) {
      const { id } = request.params as { readonly id: string }
      if (request.url.includes('?')) parseQuery(request.url, {})
      const sequence = context.readSequence()
      const known = typeof sequence === 'number' ? context.finder.peekLatest(id, sequence) : undefined
      const found = known ?? (await context.finder.findLatest(id, await sequence))
      return sendPack(context, request, reply, {
        found,
        notFoundError: () => packNotFoundError(id),
        caching: REVALIDATE,
      })
    },
  }
}

/** `GET /packs/{id}/versions/{version}`: one version, which never changes. */
export function createGetVersionRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id/versions/:version',
    operationId: 'getPackVersion',
    summary: 'Get one version of a pack',
    description:
      'A version never changes, so Pro responses may be cached for a year, unless the version was yanked (`X-Yanked`). Tiers and formats as for the latest version.',
    parameters: { id: PACK_PARAMETER, version: 'Version, `major.minor.patch`' },
    query: {},
    bodies: packBodies,
    headers: ['etag', 'content-digest', 'x-yanked'],
    revalidates: true,
    errorCodes: ['pack_not_found', 'version_not_found', 'internal_error', 'damaged_pack'],
    async handle(request, reply) {
      const { id, version } = request.params as { readonly id: string; readonly version: string }
      parseQuery(request.url, {})
      const found = await context.finder.findVersion(id, version, await context.readSequence())
      const history = found === undefined ? await context.catalog.packs.versions(id) : []
      const isPro = requireCaller(request).account.tier === 'pro'
      return sendPack(context, request, reply, {
        found,
        notFoundError: () => (history.length === 0 ? packNotFoundError(id) : versionNotFoundError()),
        caching: isPro && found?.yanked === false ? IMMUTABLE : REVALIDATE,
      })
    },
  }
}

/** Creates the error for an unknown pack. */
export function packNotFoundError(name: string): ApiError {
  return new ApiError(
    'pack_not_found',
    `There is no pack ${JSON.stringify(name.slice(0, 80).toWellFormed())}`,
  )
}

function versionNotFoundError(): ApiError {
  return new ApiError('version_not_found', 'The pack does not have this version')
}

interface PackResponse {
  readonly found: FoundPack | undefined
  readonly notFoundError: () => ApiError
  readonly caching: string
}

async function sendPack(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { found, notFoundError, caching }: PackResponse,
): Promise<FastifyReply> {
  const { bodyCache, quota } = context
  const { tier } = requireCaller(request).account
  const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
  const schema = tier === 'pro' ? fullPackSchema : previewPackSchema
  const variant = format === 'json' ? `${tier}.${format}.${identifyFormat(schema)}` : `${tier}.${format}`
  const response = found && {
    tag: `${found.tag}.${variant}`,
    weak: false,
    caching,
    headers: createYankedHeader(found),
  }
  if (await revalidateOrCharge(quota, request, reply, response)) return reply
  if (found === undefined) throw notFoundError()
  const tag = `${found.tag}.${variant}`
  const body =
    bodyCache.get(tag) ??
    (await bodyCache.obtain(tag, () => createPackBody(context, found, { tier, format }, tag)))
  reply.headers(createYankedHeader(found))
  if (body.identity.bytes.length > MAX_OWN_BYTES) holdBytes(context, reply, body)
  return sendBody(request, reply, body, caching)
}

/** Serialises a small document here, and a large one in the thread of documents. */
async function createPackBody(
  { catalog, documents }: RouteContext,
  found: FoundPack,
  projection: Projection,
  tag: string,
): Promise<BodySource> {
  const { sequence, updated_at } = found
  const fields = { type: findType(projection), tag, weak: false }
  if (found.bytes <= MAX_OWN_BYTES) {
    const version = await catalog.packs.read(sequence)
    if (version === undefined) throw new Error('A version that was found no longer exists')
    return { ...fields, text: projectPack({ ...version, updated_at }, projection) }
  }
  const task = { documents: [{ sequence, updated_at }], projection, separator: '', isCheck: false }
  const { bytes, digest, damaged, reason } = await documents.run(task)
  if (damaged.length === 0) return { ...fields, text: { bytes, digest } }
  throw new CatalogError('catalog_damaged', reason ?? '', '', { damaged: damaged[0] })
}

/** Counts the bytes of a large body until the client has received them. @throws CatalogError `catalog_busy` */
function holdBytes({ largeBodies }: RouteContext, reply: FastifyReply, body: Body): void {
  const release = largeBodies.take(body.identity.bytes.length)
  finished(reply.raw, release)
}

function createYankedHeader({ yanked }: FoundPack): Readonly<Record<string, string>> {
  return yanked ? { 'x-yanked': 'true' } : {}
}
