import { readFileSync } from 'node:fs'
import { ApiError, type ApiPorts, recoveryError } from '@packs/api'
import { coversSlug, type TokenRow } from '@packs/catalog'
import { SLUG_PATTERN } from '@packs/codec/internal'
import {
  createPublishProcess,
  type PublishAnswer,
  type PublishResult,
  type PublishServices,
  type PublishTask,
  readJob,
} from '@packs/publisher'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findExit } from '../command-error.ts'
import type { Host } from '../host.ts'
import { readJobEnvironment } from '../services/service-process.ts'

export interface PublishDependencies extends Pick<ApiPorts, 'catalog' | 'mode' | 'now'> {
  readonly services: PublishServices
  readonly toDiagnostic: Host['toDiagnostic']
  /** Throws while the database does not respond. */
  readonly checkDatabase: () => void
  /** Throws after too many wrong keys and tokens of a network. */
  readonly countFailedKey: (request: FastifyRequest) => void
}

/** In JSON a text may be twice as large. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
const CHALLENGE = { 'www-authenticate': 'Bearer realm="packs"' }

/**
 * Adds `/publish/v1`, where a publish token publishes packs, without CORS and quota. A process of
 * its own reads the bodies, and builds or queues the sources.
 */
export function mountPublish(app: FastifyInstance, dependencies: PublishDependencies): void {
  const { catalog, services, now } = dependencies
  const publishing = createPublishProcess(services.buildSeconds, readJobEnvironment())
  const tokens = new WeakMap<FastifyRequest, TokenRow>()
  app.addHook('onClose', () => publishing.close())
  const document = readFileSync(new URL('../../publish.openapi.json', import.meta.url))
  app.get('/publish/v1/openapi.json', (_request, reply) => reply.type('application/json').send(document))

  /** Before the body is received. */
  const checkSlug = async (request: FastifyRequest): Promise<void> => {
    const { slug } = request.params as { readonly slug: string }
    const token = tokens.get(request)!
    const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers
    if (encoding !== 'identity' || /;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(type))
      throw refusedError('The body must have the charset utf-8, and no Content-Encoding', 415)
    if (!SLUG_PATTERN.test(slug)) throw refusedError('The URL names no slug')
    if (!coversSlug(token.slug, slug))
      throw new ApiError('token_forbidden', `This token publishes ${token.slug}, not ${slug}`)
    if (publishing.hasSlot(token.id)) return
    const headers = { 'retry-after': '2' }
    throw new ApiError('service_unavailable', 'Too many publishes are waiting', { headers })
  }

  const publish = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { slug } = request.params as { readonly slug: string }
    const { id } = tokens.get(request)!
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    const task: PublishTask = { slug, body, actor: { kind: 'token', id }, services }
    // A build may take longer than a connection may be silent.
    request.raw.socket.setTimeout(0)
    const answer = await publishing.run<PublishAnswer>(task, slug, { owner: id })
    if (!('errors' in answer)) return sendResult(dependencies, reply, answer.result, answer.path)
    const { errors, isTooLarge } = answer
    throw isTooLarge ? tooLargeError() : refusedError('The publish request is invalid', 400, { errors })
  }

  const getJob = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { id } = request.params as { readonly id: string }
    const job = await catalog.jobs.get(id)
    const isCovered = job?.release === null && coversSlug(tokens.get(request)!.slug, job.slug)
    if (!isCovered || job.data === null) throw new ApiError('not_found', 'There is no such job')
    const { path } = JSON.parse(job.data) as { readonly path: string }
    return sendResult(dependencies, reply, readJob(job, now()), path)
  }

  void app.register((scope, _options, done) => {
    const limit = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', limit, (_request, body, parsed) => parsed(null, body))
    scope.setErrorHandler((error) => {
      const { statusCode } = error as { readonly statusCode?: number }
      if (statusCode === 413) throw tooLargeError()
      throw statusCode === 415 ? refusedError('The body must be application/json', 415) : error
    })
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      tokens.set(request, await requireToken(dependencies, request))
    })
    scope.put('/publish/v1/packs/:slug', { onRequest: checkSlug, handler: publish })
    scope.get('/publish/v1/jobs/:id', getJob)
    done()
  })
}

/** Tests in this order: recovery mode, database, token. */
async function requireToken(
  { catalog, mode, now, checkDatabase, countFailedKey }: PublishDependencies,
  request: FastifyRequest,
): Promise<TokenRow> {
  const current = mode.current()
  if (current.mode === 'recovery') throw recoveryError(current)
  checkDatabase()
  const [, text] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const token = text === undefined ? undefined : await catalog.tokens.use(text, now())
  if (token !== undefined) return token
  if (text !== undefined) countFailedKey(request)
  const missing = 'The request has no publish token: send "Authorization: Bearer TOKEN"'
  const detail = text === undefined ? missing : 'The publish token is unknown, revoked or expired'
  throw new ApiError('invalid_publish_token', detail, { headers: CHALLENGE })
}

function refusedError(
  detail: string,
  status = 400,
  members: Readonly<Record<string, unknown>> = {},
): ApiError {
  return new ApiError('invalid_publish', detail, { status, members })
}

function tooLargeError(): ApiError {
  return refusedError('A source may have at most 16 MiB, and the body 32 MiB', 413)
}

/** Sends what `pack publish --json` prints of a source; a failure as a problem with its code. */
async function sendResult(
  { catalog: { packs, jobs }, toDiagnostic }: PublishDependencies,
  reply: FastifyReply,
  result: PublishResult,
  file: string,
): Promise<FastifyReply> {
  const { slug, version, status, level: bump, code, job } = result
  const messages = result.messages.map((message) => toDiagnostic(message, file))
  const { level: _level, ...fields } = { file, ...result, bump, messages }
  if (code !== null) throw failureError(fields)
  const found = status === 'published' && version !== null ? await packs.find(slug, version) : undefined
  const { data } = (found && (await jobs.get(job ?? ''))) ?? {}
  const { parent = null } = JSON.parse(data ?? '{}') as { readonly parent?: string | null }
  const { uncompressed_estimate, token_count, rosetta_tokens } = found ?? {}
  const more = found && { before: parent, figures: { uncompressed_estimate, token_count, rosetta_tokens } }
  return reply
    .code(status === 'queued' ? 202 : status === 'published' ? 201 : 200)
    .send({ ...fields, ...more })
}

/** In a problem, `status` is that of HTTP, and `outcome` that of the publish. */
function failureError({ status: outcome, ...fields }: Omit<PublishResult, 'level' | 'messages'>): ApiError {
  const exit = findExit(fields.code!)
  const members = { ...fields, outcome }
  if (exit === 'unavailable')
    return new ApiError('service_unavailable', fields.message!, { headers: { 'retry-after': '5' }, members })
  if (exit === 'internal') return new ApiError('internal_error', fields.message!, { members })
  return refusedError(fields.message!, exit === 'refused' ? 409 : 400, members)
}
