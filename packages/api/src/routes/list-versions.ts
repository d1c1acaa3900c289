import { z } from 'zod'
import { parseQuery } from '../http/parse-query.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { PACK_PARAMETER, packNotFoundError } from './send-version.ts'
import { damagedField, versionLineSchema } from './pack-responses.ts'
import { type ListValue, sendList } from './send-list.ts'

const historySchema = z
  .object({
    data: z.array(versionLineSchema),
    meta: z.object({ total: z.int().describe('Number of versions'), damaged: damagedField }),
  })
  .meta({ title: 'Versions of a pack' })

/** `GET /packs/{id}/versions`: the versions of a pack, highest first. */
export function createListVersionsRoute(context: RouteContext): ApiRoute {
  return {
    path: '/packs/:id/versions',
    operationId: 'listPackVersions',
    summary: 'List the versions of a pack',
    description: 'All versions, highest first; yanked ones with the reason.',
    parameters: { id: PACK_PARAMETER },
    query: {},
    bodies: { 'application/json': historySchema },
    headers: ['etag', 'content-digest'],
    errorCodes: ['pack_not_found'],
    async handle(request, reply) {
      const { id } = request.params as { readonly id: string }
      parseQuery(request.url, {})
      const sequence = await context.readSequence()
      const history = await context.catalog.packs.versions(id)
      if (history.length === 0) {
        await context.quota.charge(request, reply)
        throw packNotFoundError(id)
      }
      const create = (): Promise<ListValue> => {
        const data = history.filter(({ sha256 }) => sha256 !== null)
        const damaged = history.filter(({ sha256 }) => sha256 === null)
        const meta = { total: history.length, ...(damaged.length > 0 && { damaged }) }
        return Promise.resolve({ value: { data, meta }, damaged })
      }
      const response = { sequence, name: 'versions', path: id, schema: historySchema, create }
      return sendList(context, request, reply, response)
    },
  }
}
