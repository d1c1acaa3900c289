import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, tooManyRequestsError } from '../errors/api-error.ts'
import { sendProblem, toApiError } from '../errors/send-problem.ts'
import type { AuthenticateHook } from '../hooks/authenticate.ts'
import type { RequestQuota } from '../hooks/quota.ts'
import type { ApiLog } from '../ports.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { createDownloadPacksRoute } from './download/download-packs.ts'
import { createGetPackRoutes } from './get-pack.ts'
import { createGetUsageRoute } from './get-usage.ts'
import { createListPacksRoute } from './list-packs.ts'
import { createListVersionsRoute } from './list-versions.ts'
import { createGetPromptRoute } from './prompt/get-prompt.ts'
import { createSearchPacksRoute } from './search-packs.ts'
import { createGetSectionRoutes } from './sections/get-section.ts'
import { createListSectionsRoutes } from './sections/list-sections.ts'

export interface MountOptions {
  readonly routes: readonly ApiRoute[]
  readonly authenticate: AuthenticateHook
  readonly quota: RequestQuota
  readonly log: ApiLog
}

/** Mounts `/api/v1` in a scope whose authenticate hook runs for every request, whatever its path. */
export function mountRoutes(app: FastifyInstance, { routes, authenticate, quota, log }: MountOptions): void {
  /** A refusal for the tier is not charged, so an account gets few of them. */
  const limitRefusal = (error: ApiError, request: FastifyRequest): ApiError => {
    const wait = error.code === 'tier_required' ? quota.takeFree(request) : 0
    return wait > 0 ? tooManyRequestsError(wait) : error
  }

  const handleError = async (
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const error = limitRefusal(toApiError(thrown, request, log), request)
    if (error.code === 'too_many_requests') return sendProblem(request, reply, error)
    if (request.caller !== null && !reply.hasHeader('ratelimit')) {
      await quota.peek(request, reply).catch((reason: unknown) => toApiError(reason, request, log))
    }
    return sendProblem(request, reply, error)
  }

  void app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', authenticate)
      scope.setErrorHandler(handleError)
      scope.setNotFoundHandler(() => {
        throw new ApiError('not_found', 'No endpoint has this path; see /docs')
      })
      for (const route of routes) {
        const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
          route.handle(request, reply)
        // The authenticate hook rejects all methods but GET and HEAD.
        scope.route({ method: scope.supportedMethods, url: route.path, handler })
      }
      done()
    },
    { prefix: '/api/v1' },
  )
}

/** Every path below `/api/v1`. */
export function createApiRoutes(context: RouteContext): readonly ApiRoute[] {
  const [getPack, getVersion] = createGetPackRoutes(context)
  return [
    createListPacksRoute(context),
    createSearchPacksRoute(context),
    createDownloadPacksRoute(context),
    getPack,
    createListVersionsRoute(context),
    getVersion,
    ...createListSectionsRoutes(context),
    ...createGetSectionRoutes(context),
    createGetPromptRoute(context),
    createGetUsageRoute(context),
  ]
}
