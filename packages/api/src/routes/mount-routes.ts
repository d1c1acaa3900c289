import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { explainFailure, sendProblem } from '../errors/send-problem.ts'
import type { Gate } from '../hooks/authenticate.ts'
import type { Till } from '../hooks/quota.ts'
import type { ApiLog } from '../ports.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { createDownloadPacksRoute } from './download-packs.ts'
import { createGetPackRoute, createGetVersionRoute } from './get-pack.ts'
import { createGetUsageRoute } from './get-usage.ts'
import { createListPacksRoute } from './list-packs.ts'
import { createListVersionsRoute } from './list-versions.ts'

export interface MountedParts {
  readonly routes: readonly ApiRoute[]
  readonly gate: Gate
  readonly till: Till
  readonly log: ApiLog
}

/** Mounts `/api/v1` behind its gate, in a scope of its own that nothing can get round, whatever the path looks like. */
export function mountRoutes(app: FastifyInstance, { routes, gate, till, log }: MountedParts): void {
  const fail = async (
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const error = explainFailure(thrown, request, log)
    if (request.caller !== null && !reply.hasHeader('ratelimit')) {
      await till.show(request, reply).catch((reason: unknown) => explainFailure(reason, request, log))
    }
    return sendProblem(request, reply, error)
  }

  void app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', gate)
      scope.setErrorHandler(fail)
      scope.setNotFoundHandler(() => {
        throw new ApiError('not_found', 'No endpoint has this path; see /docs')
      })
      for (const route of routes) {
        const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
          route.handle(request, reply)
        // Methods that a route does not have are refused by the gate.
        scope.route({ method: scope.supportedMethods, url: route.path, handler })
      }
      done()
    },
    { prefix: '/api/v1' },
  )
}

/** Every path below `/api/v1`. */
export function createApiRoutes(context: RouteContext): readonly ApiRoute[] {
  return [
    createListPacksRoute(context),
    createDownloadPacksRoute(context),
    createGetPackRoute(context),
    createListVersionsRoute(context),
    createGetVersionRoute(context),
    createGetUsageRoute(context),
  ]
}
