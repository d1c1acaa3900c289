import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiErrorCode } from '../errors/api-error.ts'
import type { RequestQuota } from '../hooks/quota.ts'
import type { QueryShape } from '../http/parse-query.ts'
import type { ApiPorts, ResolvedOptions } from '../ports.ts'
import type { PackFinder, SequenceReader } from '../response-cache/cached-catalog.ts'
import type { BodyCache } from '../response-cache/create-body-cache.ts'
import type { TagWriter } from '../response-cache/etag.ts'

/** What routes work with. */
export interface RouteContext {
  readonly catalog: ApiPorts['catalog']
  readonly quota: RequestQuota
  readonly bodyCache: BodyCache
  readonly finder: PackFinder
  readonly readSequence: SequenceReader
  readonly writeTag: TagWriter
  readonly options: ResolvedOptions
  /** Signs cursors. */
  readonly cursorSecret: Uint8Array
}

/** A path below `/api/v1`: what the documentation says of it, and what it does. */
export interface ApiRoute {
  /** As Fastify writes it. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** What stands for the parameters in the path. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: QueryShape
  /** Bodies of 200 by media type. */
  readonly bodies: Readonly<Record<string, z.ZodType>>
  /** Header fields of 200 besides those of every answer. */
  readonly headers: readonly ('etag' | 'content-digest' | 'link' | 'x-yanked')[]
  /** Answers 304 to a tag that is known. */
  readonly revalidates: boolean
  /** Refusals besides those that every path has. */
  readonly errorCodes: readonly ApiErrorCode[]
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
