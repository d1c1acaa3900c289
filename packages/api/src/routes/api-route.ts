import type { ByteBudget, CatalogWatch, PackSearch, SectionReader } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiErrorCode } from '../errors/problem-table.ts'
import type { RequestQuota } from '../hooks/caller.ts'
import type { QueryShape } from '../http/parse-query.ts'
import type { ApiLog, ApiPorts } from '../ports.ts'
import type { PackFinder, TagWriter, BodyCache } from '../response-cache/body.ts'
import type { DocumentReader } from './pack-responses.ts'

export interface RouteContext {
  readonly catalog: ApiPorts['catalog']
  readonly quota: RequestQuota
  readonly bodyCache: BodyCache
  readonly finder: PackFinder
  readonly readSequence: CatalogWatch['sequence']
  readonly writeTag: TagWriter
  readonly documents: DocumentReader
  readonly sections: SectionReader
  readonly packSearch: PackSearch
  /** Bytes of large bodies that are being sent. */
  readonly largeBodies: ByteBudget
  readonly log: ApiLog
  readonly cursorSecret: Uint8Array
}

/** A path below `/api/v1`, with its documentation. */
export interface ApiRoute {
  /** In Fastify's notation. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly query: QueryShape
  /** Schemas of a 200 response by media type. */
  readonly bodies: Readonly<Record<string, z.ZodType>>
  /** Header fields of a 200 response besides those of every response. */
  readonly headers: readonly ('etag' | 'content-digest' | 'link' | 'x-yanked')[]
  /** Errors besides those of every path. */
  readonly errorCodes?: readonly ApiErrorCode[]
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
