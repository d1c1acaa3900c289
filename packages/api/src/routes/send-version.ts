import { finished } from 'node:stream'
import { findPurged, MAX_INLINE_BYTES, purgedVersionError } from '@packs/catalog'
import { VersionError } from '@packs/codec/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { requireCaller, type Revalidation, revalidate } from '../hooks/caller.ts'
import { IMMUTABLE, REVALIDATE } from '../http/headers.ts'
import { type FoundPack, sendBody, type Body, type BodySource } from '../response-cache/body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'

export const PACK_PARAMETER = 'Id (`pk_…`) or slug of the pack'

type RouteNames = Pick<ApiRoute, 'operationId' | 'summary' | 'description'>

type SharedFields = 'query' | 'bodies' | 'handle' | 'parameters' | 'errorCodes'

/** `parameters` and `errorCodes` are those besides the ones of a version. */
interface VersionResource extends Pick<ApiRoute, SharedFields> {
  readonly latest: RouteNames
  readonly version: RouteNames
  /** Path below that of the version. */
  readonly path?: string
}

/** Creates the routes `/packs/{id}…` and `/packs/{id}/versions/{version}…` of a resource. */
export function createVersionRoutes({
  latest,
  version,
  path = '',
  parameters,
  errorCodes = [],
  ...route
}: VersionResource): readonly [latest: ApiRoute, version: ApiRoute] {
  const others = ['purged_version', ...errorCodes, 'internal_error', 'damaged_pack'] as const
  return [
    {
      ...route,
      ...latest,
      path: `/packs/:id${path}`,
      parameters: { id: PACK_PARAMETER, ...parameters },
      headers: ['etag', 'content-digest'],
      errorCodes: ['pack_not_found', ...others],
    },
    {
      ...route,
      ...version,
      path: `/packs/:id/versions/:version${path}`,
      parameters: { id: PACK_PARAMETER, version: 'Version, `major.minor.patch`', ...parameters },
      headers: ['etag', 'content-digest', 'x-yanked'],
      errorCodes: ['pack_not_found', 'version_not_found', ...others],
    },
  ]
}

interface RequestedVersion {
  readonly found: FoundPack | undefined
  readonly notFoundError: () => ApiError | Promise<ApiError>
  readonly caching: string
}

/**
 * Finds the version that the path names, or the latest. A version never changes, so Pro responses
 * about it are immutable unless it was yanked.
 */
export async function findRequestedVersion(
  context: RouteContext,
  request: FastifyRequest,
): Promise<RequestedVersion> {
  const { id, version } = request.params as { readonly id: string; readonly version?: string }
  const sequence = context.readSequence()
  const isPro = requireCaller(request).account.tier === 'pro'
  const show = (found: FoundPack | undefined): FoundPack | undefined =>
    found === undefined || isPro ? found : { ...found, tag: found.previewTag }
  if (version === undefined) {
    const known = typeof sequence === 'number' ? context.finder.peekLatest(id, sequence) : undefined
    const found = known ?? (await context.finder.findLatest(id, await sequence))
    return { found: show(found), notFoundError: () => missingError(context, id), caching: REVALIDATE }
  }
  const found = await context.finder.findVersion(id, version, await sequence)
  return {
    found: show(found),
    notFoundError: () => missingError(context, id, version),
    caching: isPro && found?.yanked === false ? IMMUTABLE : REVALIDATE,
  }
}

export interface VersionResponse extends RequestedVersion {
  /** Distinguishes responses about one version. */
  readonly variant: string
  readonly createSource: (found: FoundPack, tag: string) => Promise<BodySource>
}

/** Sends 304, or a response about a version that is charged as one request. */
export async function sendVersion(
  context: RouteContext,
  reply: FastifyReply,
  { found, notFoundError, caching, variant, createSource }: VersionResponse,
): Promise<FastifyReply> {
  const { quota } = context
  if (found === undefined) {
    await quota.check(reply)
    throw await notFoundError()
  }
  const tag = formatVersionTag(found, variant)
  const headers: Readonly<Record<string, string>> = found.yanked ? { 'x-yanked': 'true' } : {}
  const create = (): Promise<BodySource> => createSource(found, tag)
  return sendCharged(context, reply, { tag, weak: false, caching, headers, create })
}

interface ChargedResponse extends Revalidation {
  /** Of the body in the cache. @default the tag */
  readonly name?: string
  readonly create: () => Promise<BodySource>
  /** How many requests it is charged as. @default 1 */
  readonly count?: number | undefined
}

/** Sends 304, or a body that is charged once nothing but sending is left. */
export async function sendCharged(
  context: RouteContext,
  reply: FastifyReply,
  response: ChargedResponse,
): Promise<FastifyReply> {
  const { bodyCache, quota } = context
  const { name = response.tag, create, caching, headers = {}, count } = response
  if (await revalidate(quota, reply, response)) return reply
  const known = bodyCache.get(name)
  // A small body that is cached costs less than another look at the quota.
  const isReady = known !== undefined && known.identity.bytes.length <= MAX_INLINE_BYTES
  if (!isReady) await quota.check(reply, count)
  const body = known ?? (await bodyCache.obtain(name, create))
  holdLargeBody(context, reply, body)
  return sendBody(reply, body, caching, async () => {
    await quota.charge(reply, count)
    reply.headers(headers)
  })
}

export function formatVersionTag(found: FoundPack, variant: string): string {
  return `${found.tag}.${variant}`
}

/** Says whether a version that was not found, or all of the pack, was purged. */
export async function missingError(
  { catalog }: Pick<RouteContext, 'catalog'>,
  id: string,
  version?: string,
): Promise<ApiError> {
  const history = await catalog.packs.versions(id)
  const purged = findPurged(history, version)
  if (purged !== undefined) {
    const { slug, version: number, purged_at, yanked_reason: reason } = purged
    const members = { slug, version: number, purged_at, reason }
    return new ApiError('purged_version', purgedVersionError(purged, version).message, { members })
  }
  if (version === undefined || history.length === 0) return packNotFoundError(id)
  return new ApiError('version_not_found', VersionError.noMatch(id, history, version).message)
}

/** @param nearest slugs of packs that may be meant */
export function packNotFoundError(name: string, nearest?: readonly string[]): ApiError {
  const detail = `There is no pack ${JSON.stringify(name.slice(0, 80).toWellFormed())}`
  return new ApiError('pack_not_found', detail, { ...(nearest && { members: { nearest } }) })
}

/**
 * Counts the bytes of a large body until the client has received them.
 * @throws CatalogError `catalog_busy` or `too_many_at_once`
 */
function holdLargeBody({ largeBodies }: RouteContext, reply: FastifyReply, body: Body): void {
  if (body.identity.bytes.length <= MAX_INLINE_BYTES) return
  const release = largeBodies.take(body.identity.bytes.length, requireCaller(reply.request).account.id)
  finished(reply.raw, release)
}
