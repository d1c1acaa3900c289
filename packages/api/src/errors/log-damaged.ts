import type { DamagedVersion } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'
import type { ApiLog } from '../ports.ts'

/** Logs the packs that a response lacks, in one line, if there are any. */
export function logDamaged(log: ApiLog, request: FastifyRequest, damaged: readonly DamagedVersion[]): void {
  if (damaged.length === 0) return
  log.error(
    {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      code: 'damaged_pack',
      damaged: damaged.map(({ slug, version }) => `${slug}@${version ?? '?'}`),
    },
    'a response lacks damaged packs',
  )
}
