import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Till } from '../access/charge.ts'
import type { BodyCache } from '../bodies/create-body-cache.ts'
import type { TagWriter } from '../bodies/create-tag-writer.ts'
import type { PackFinder } from '../packs/create-pack-finder.ts'
import type { SequenceReader } from '../packs/create-sequence-reader.ts'
import type { ApiPorts, ResolvedOptions } from '../ports.ts'
import type { ApiErrorCode } from '../problem/api-error.ts'
import type { QueryShape } from '../request/parse-query.ts'

/** What routes work with. */
export interface RouteContext {
  readonly catalog: ApiPorts['catalog']
  readonly till: Till
  readonly bodies: BodyCache
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
  readonly operation: string
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
  readonly refusals: readonly ApiErrorCode[]
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
