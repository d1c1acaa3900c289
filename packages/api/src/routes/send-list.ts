import type { DamagedVersion } from '@packs/catalog'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { invalidParametersError, logDamaged } from '../errors/api-error.ts'
import { JSON_TYPE, REVALIDATE } from '../http/headers.ts'
import { type BodySource, writeIncompleteTag } from '../response-cache/body.ts'
import type { RouteContext } from './api-route.ts'
import { sendCharged } from './send-version.ts'

/** A response about several packs or versions, which may change whenever the catalog does. */
interface ListResponse {
  readonly sequence: number
  /** Distinguishes responses with the same schema. */
  readonly name: string
  /** Distinguishes responses that have the same tag at different paths. */
  readonly path?: string
  readonly schema: z.ZodType
  /** How many requests it is charged as. @default 1 */
  readonly count?: number
  /** Creates the value, if the body is not cached. */
  readonly create: () => Promise<ListValue>
}

export interface ListValue {
  /** Of the schema, or a text of another type. */
  readonly value: unknown
  /** @default JSON */
  readonly type?: string
  readonly link?: string
  readonly damaged: readonly DamagedVersion[]
}

/** Sends 304, or a list with a weak tag that is charged. */
export async function sendList(
  context: RouteContext,
  reply: FastifyReply,
  { sequence, name, path = '', schema, count, create: createValue }: ListResponse,
): Promise<FastifyReply> {
  const { log, writeTag } = context
  const tag = writeTag(sequence, name, schema)
  const create = async (): Promise<BodySource> => {
    const { value, type = JSON_TYPE, link, damaged } = await createValue()
    logDamaged(log, reply.request, damaged)
    const isIncomplete = damaged.length > 0
    return {
      text: type === JSON_TYPE ? JSON.stringify(schema.parse(value)) : String(value),
      type,
      tag: isIncomplete ? writeIncompleteTag(tag) : tag,
      weak: true,
      link,
      isIncomplete,
    }
  }
  const response = { tag, weak: true, caching: REVALIDATE, count, create }
  return sendCharged(context, reply, { ...response, name: `${tag} ${path}` })
}

/** @throws ApiError `invalid_parameter` for a page out of reach */
export function checkDepth(
  { page, limit }: { readonly page: number; readonly limit: number },
  reachable: number,
  advice: string,
): void {
  if (page * limit <= reachable) return
  const detail = `page × limit exceeds ${reachable.toLocaleString('en-US')}; ${advice}`
  throw invalidParametersError([{ parameter: 'page', detail }])
}

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
