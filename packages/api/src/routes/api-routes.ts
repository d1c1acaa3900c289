import type { ApiRoute, RouteContext } from './api-route.ts'
import { createDownloadPacksRoute } from './download-packs.ts'
import { createGetPackRoute, createGetVersionRoute } from './get-pack.ts'
import { createGetUsageRoute } from './get-usage.ts'
import { createListPacksRoute } from './list-packs.ts'
import { createListVersionsRoute } from './list-versions.ts'

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
