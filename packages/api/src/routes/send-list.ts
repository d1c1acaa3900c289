import type { DamagedVersion } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { invalidParametersError } from '../errors/api-error.ts'
import { logDamaged } from '../errors/send-problem.ts'
import { JSON_TYPE, REVALIDATE } from '../http/headers.ts'
import { writeIncompleteTag, sendBody } from '../response-cache/body.ts'
import type { RouteContext } from './api-route.ts'
import { revalidateOrCharge } from '../hooks/caller.ts'

/** A response about several packs or versions, which may change whenever the catalog does. */
interface ListResponse {
  readonly sequence: number
  /** Distinguishes responses with the same schema. */
  readonly name: string
  /** Distinguishes responses that have the same tag at different paths. */
  readonly path?: string
  readonly schema: z.ZodType
  /** Creates the value of the schema, if the body is not cached. */
  readonly create: () => Promise<ListValue>
}

/** A list to send, and the damaged packs that it omits. */
export interface ListValue {
  readonly value: unknown
  readonly link?: string
  readonly damaged: readonly DamagedVersion[]
  /**
   * Whether the value may change while the catalog does not.
   * @default whether there are damaged packs
   */
  readonly isIncomplete?: boolean
}

/** Sends 304 or a list with a weak tag, and charges the request like `revalidateOrCharge`. */
export async function sendList(
  { bodyCache, log, quota, writeTag }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { sequence, name, path = '', schema, create }: ListResponse,
): Promise<FastifyReply> {
  const tag = writeTag(sequence, name, schema)
  if (await revalidateOrCharge(quota, request, reply, { tag, weak: true, caching: REVALIDATE })) return reply
  const body = await bodyCache.obtain(`${tag} ${path}`, async () => {
    const { value, link, damaged, isIncomplete = damaged.length > 0 } = await create()
    logDamaged(log, request, damaged)
    return {
      text: JSON.stringify(schema.parse(value)),
      type: JSON_TYPE,
      tag: isIncomplete ? writeIncompleteTag(tag) : tag,
      weak: true,
      link,
      isIncomplete,
    }
  })
  return sendBody(request, reply, body, REVALIDATE)
}

/**
 * Checks that a page is within reach.
 *
 * @throws ApiError `invalid_parameter`
 */
export function checkDepth(
  { page, limit }: { readonly page: number; readonly limit: number },
  reachable: number,
  advice: string,
): void {
  if (page * limit <= reachable) return
  const detail = `page × limit exceeds ${reachable.toLocaleString('en-US')}; ${advice}`
  throw invalidParametersError([{ parameter: 'page', detail }])
}

/** Writes a path with its parameters, without those that have no value. */
export function writePath(
  path: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return `/api/v1${path}?${parameters.toString()}`
}
