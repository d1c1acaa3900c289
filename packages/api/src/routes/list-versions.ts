import { z } from 'zod'
import { JSON_TYPE, REVALIDATE } from '../http/headers.ts'
import { parseQuery } from '../http/parse-query.ts'
import { writeIncompleteTag } from '../response-cache/etag.ts'
import { sendBody } from '../response-cache/send-body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { PACK_PARAMETER, packNotFoundError } from './send-version.ts'
import { logDamaged } from '../errors/log-damaged.ts'
import { damagedField, versionLineSchema } from './pack-responses.ts'
import { revalidateOrCharge } from './revalidate-or-charge.ts'

const historySchema = z
  .object({
    data: z.array(versionLineSchema),
    meta: z.object({ total: z.int().describe('Number of versions'), damaged: damagedField }),
  })
  .meta({ title: 'Versions of a pack' })

/** `GET /packs/{id}/versions`: the versions of a pack, highest first. */
export function createListVersionsRoute({
  bodyCache,
  catalog,
  log,
  readSequence,
  quota,
  writeTag,
}: RouteContext): ApiRoute {
  return {
    path: '/packs/:id/versions',
    operationId: 'listPackVersions',
    summary: 'List the versions of a pack',
    description: 'All versions, highest first; yanked ones with the reason.',
    parameters: { id: PACK_PARAMETER },
    query: {},
    bodies: { 'application/json': historySchema },
    headers: ['etag', 'content-digest'],
    revalidates: true,
    errorCodes: ['pack_not_found'],
    async handle(request, reply) {
      const { id } = request.params as { readonly id: string }
      parseQuery(request.url, {})
      const sequence = await readSequence()
      const history = await catalog.packs.versions(id)
      const tag = writeTag(sequence, 'versions', historySchema)
      const response = history.length === 0 ? undefined : { tag, weak: true, caching: REVALIDATE }
      if (await revalidateOrCharge(quota, request, reply, response)) return reply
      if (history.length === 0) throw packNotFoundError(id)
      const body = await bodyCache.obtain(`${tag} ${id}`, () => {
        const data = history.filter(({ sha256 }) => sha256 !== null)
        const damaged = history.filter(({ sha256 }) => sha256 === null)
        logDamaged(log, request, damaged)
        const isIncomplete = damaged.length > 0
        const meta = { total: history.length, ...(isIncomplete && { damaged }) }
        return Promise.resolve({
          text: JSON.stringify(historySchema.parse({ data, meta })),
          type: JSON_TYPE,
          tag: isIncomplete ? writeIncompleteTag(tag) : tag,
          weak: true,
          isIncomplete,
        })
      })
      return sendBody(request, reply, body, REVALIDATE)
    },
  }
}
