import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { requireCaller } from '../hooks/caller.ts'
import { IMMUTABLE, REVALIDATE } from '../http/headers.ts'
import { prefersType } from '../http/negotiate.ts'
import { parseQuery } from '../http/parse-query.ts'
import type { FoundPack } from '../response-cache/cached-catalog.ts'
import { findKnownEtag } from '../response-cache/etag.ts'
import { sendBody, sendNotModified } from '../response-cache/send-body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { fullPackSchema, previewPackSchema, projectPack } from './project-pack.ts'

export const PACK_PARAMETER = 'Id (`pk_…`) or slug of the pack'

const packBodies = {
  'application/json': z.union([fullPackSchema, previewPackSchema]),
  'text/markdown': z
    .string()
    .describe('Header, empty line and content, to paste into a prompt; for Free the preview alone'),
}

/** `GET /packs/{id}`: the latest version of a pack. */
export function createGetPackRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id',
    operation: 'getPack',
    summary: 'Get one pack',
    description:
      'The latest version of a pack. Pro callers get all of it; Free callers the first fifth of the content, without the decoder header and with the same keys. `Accept: text/markdown` gives what can be pasted into a prompt.',
    parameters: { id: PACK_PARAMETER },
    query: {},
    bodies: packBodies,
    headers: ['etag', 'content-digest'],
    revalidates: true,
    refusals: ['pack_not_found'],
    async handle(request, reply) {
      const { id } = request.params as { readonly id: string }
      if (request.url.includes('?')) parseQuery(request.url, {})
      const sequence = context.readSequence()
      const known = typeof sequence === 'number' ? context.finder.peekLatest(id, sequence) : undefined
      const found = known ?? (await context.finder.findLatest(id, await sequence))
      return answerPack(context, request, reply, {
        found,
        missing: () => refusePack(id),
        caching: REVALIDATE,
      })
    },
  }
}

/** `GET /packs/{id}/versions/{version}`: one version, which never changes. */
export function createGetVersionRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id/versions/:version',
    operation: 'getPackVersion',
    summary: 'Get one version of a pack',
    description:
      'What stands under a number never changes, so a Pro body may be kept for a year, unless the version was withdrawn, which `X-Yanked` says. Tiers and formats as for one pack.',
    parameters: { id: PACK_PARAMETER, version: 'Version as `major.minor.patch`' },
    query: {},
    bodies: packBodies,
    headers: ['etag', 'content-digest', 'x-yanked'],
    revalidates: true,
    refusals: ['pack_not_found', 'version_not_found'],
    async handle(request, reply) {
      const { id, version } = request.params as { readonly id: string; readonly version: string }
      parseQuery(request.url, {})
      const found = await context.finder.findVersion(id, version, await context.readSequence())
      const history = found === undefined ? await context.catalog.packs.versions(id) : []
      const isPro = requireCaller(request).account.tier === 'pro'
      return answerPack(context, request, reply, {
        found,
        missing: () => (history.length === 0 ? refusePack(id) : refuseVersion()),
        caching: isPro && found?.yanked === false ? IMMUTABLE : REVALIDATE,
      })
    },
  }
}

/** No pack with the name that was asked for. */
export function refusePack(name: string): ApiError {
  return new ApiError(
    'pack_not_found',
    `There is no pack ${JSON.stringify(name.slice(0, 80).toWellFormed())}`,
  )
}

function refuseVersion(): ApiError {
  return new ApiError('version_not_found', 'The pack has no such version')
}

interface PackAnswer {
  readonly found: FoundPack | undefined
  readonly missing: () => ApiError
  readonly caching: string
}

async function answerPack(
  { bodies, till }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { found, missing, caching }: PackAnswer,
): Promise<FastifyReply> {
  const { tier } = requireCaller(request).account
  const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
  if (found !== undefined) {
    const etag = findKnownEtag(request, { tag: `${found.tag}.${tier}.${format}`, weak: false })
    if (etag !== undefined) {
      await till.show(request, reply)
      markYanked(reply, found)
      return sendNotModified(reply, etag, caching)
    }
  }
  await till.charge(request, reply)
  if (found === undefined) throw missing()
  const tag = `${found.tag}.${tier}.${format}`
  const body =
    bodies.get(tag) ??
    (await bodies.obtain(tag, async () => ({
      ...projectPack(await found.load(), { tier, format }),
      tag,
      weak: false,
    })))
  markYanked(reply, found)
  return sendBody(request, reply, body, caching)
}

function markYanked(reply: FastifyReply, { yanked }: FoundPack): void {
  if (yanked) reply.header('x-yanked', 'true')
}
