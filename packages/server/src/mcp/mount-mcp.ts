import { ApiError, tooManyRequestsError, type ApiLog, type KeyCheck } from '@packs/api'
import {
  CatalogError,
  describeThrown,
  findPurged,
  listSimilarPacks,
  peekCharge,
  purgedVersionError,
} from '@packs/catalog'
import type {
  Quota,
  QuotaState,
  RateLimiter,
  SectionReader,
  Catalog,
  PackSearch,
  ReadingScope,
  SectionReads,
  VersionRecord,
} from '@packs/catalog'
import type { PackHandler } from '@packs/mcp'
import type { OutlinedSection, PackIdentity } from '@packs/client'
import {
  createTools,
  describeContext,
  describeDocs,
  describeHit,
  describeSection,
  MAX_OUTLINE,
  packNotFoundError,
  SourceError,
} from '@packs/client/internal'
import type { CallQuota, DocsSource, OpenedPack, SectionPart } from '@packs/client/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseVersion, hideCounts, loadOnce, parsePackName, VersionError } from '@packs/codec/internal'
import type { LinkedText } from '@packs/codec/internal'
import type { OutlinedSection as CodecSection } from '@packs/codec/sections'
import { VERSION } from '../services/service-process.ts'

/** The longest call takes half of that. The SDK checks each member of a body. */
const MAX_BODY_BYTES = 16 * 1024

const CHALLENGE = { 'www-authenticate': 'Bearer realm="packs", ApiKey' }

export interface McpDependencies extends Omit<CatalogReaders, 'onDamage' | 'owner'> {
  readonly sections: SectionReader
  readonly origin: string
  readonly checkKey: KeyCheck
  readonly quota: Quota
  readonly freeRequests: RateLimiter
  readonly log: ApiLog
  readonly now: () => Date
}

/**
 * Adds `/mcp`: the Model Context Protocol over Streamable HTTP, without sessions. A tool call is
 * charged once it is answered. All else is free, but lists and refused sections are limited by
 * account. Errors in the request itself are sent as problems; those in a call go to the model.
 */
export function mountMcp(app: FastifyInstance, dependencies: McpDependencies): void {
  const authenticate = createAuthentication(dependencies)
  let handler: PackHandler | undefined
  const load = loadOnce(async () => (handler = (await import('@packs/mcp')).createPackHandler()))
  app.addHook('preClose', () => handler?.close())
  void app.register((scope, _options, done) => {
    // The SDK parses the body, so that its errors are those of the protocol.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, parsed) => parsed(null, body),
    )
    scope.setErrorHandler((error, _request, reply) => {
      if ((error as { readonly code?: unknown }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
      return reply.code(413).headers({ 'cache-control': 'no-store', connection: 'close' }).send(TOO_LARGE)
    })
    scope.post('/mcp', {
      onRequest: authenticate,
      handler: (request, reply) => answerRequest(load, dependencies, request, reply),
    })
    done()
  })
}

const TOO_LARGE = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `A request may have at most ${MAX_BODY_BYTES} bytes` },
}

function createAuthentication({
  origin,
  checkKey,
}: McpDependencies): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const own = new URL(origin).origin
  return async (request) => {
    // A page on another site must not reach a server in its visitor's network.
    if (request.headers.origin !== undefined && request.headers.origin !== own)
      throw new ApiError('foreign_origin', 'The header Origin names another site')
    try {
      request.caller = await checkKey(request, readKey(request))
    } catch (error) {
      throw addChallenge(error)
    }
  }
}

/** Reads the key from either header; `x-api-key` wins if both are present. */
function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

function addChallenge(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, message } = error
  if (code === 'invalid_api_key') return new ApiError(code, message, { headers: CHALLENGE })
  if (code !== 'missing_api_key') return error
  const detail = 'Send an API key as "Authorization: Bearer KEY", or in the header x-api-key'
  return new ApiError(code, detail, { headers: CHALLENGE })
}

async function answerRequest(
  load: () => Promise<PackHandler>,
  dependencies: McpDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { quota, freeRequests, log, now } = dependencies
  const { account } = request.caller!
  const closed = new AbortController()
  reply.raw.once('close', () => closed.abort())
  const fields = { request_id: request.id, route: '/mcp' }
  const readers = {
    ...dependencies,
    sections: dependencies.sections.for(account.id),
    owner: account.id,
    onDamage: (error: CatalogError) =>
      log.error({ ...fields, ...describeThrown(error) }, 'a pack is damaged'),
  }
  const source = createCatalogSource(readers, account.tier === 'pro' ? 'full' : 'preview')
  const takeFree = (): number => freeRequests.take(account.id, now())
  const rules = {
    check: async (requests) => requireAllowed(await peekCharge(quota, account, now(), requests), requests),
    async charge(requests) {
      if (!closed.signal.aborted) requireAllowed(await quota.take(account, now(), requests), requests)
    },
    takeFree() {
      const wait = takeFree()
      const hint = `Wait ${wait} seconds, or answer with what you have.`
      if (wait > 0) throw new SourceError('too_many_requests', tooManyRequestsError(wait).message, hint)
    },
  } satisfies CallQuota
  const handler = await load()
  const response = await handler.answer(createRequest(dependencies.origin, request, closed.signal), {
    tools: async (isList) => {
      const packs = isList ? await source.list(MAX_TITLES, closed.signal) : []
      return createTools(source, { ...rules, about: describeDocs(packs) })
    },
    version: VERSION,
    takeFree() {
      const wait = takeFree()
      if (wait > 0) throw tooManyRequestsError(wait)
    },
    onError(error) {
      if (!closed.signal.aborted) log.error({ ...fields, ...describeThrown(error) }, 'a request failed')
    },
  })
  reply.header('cache-control', 'no-store')
  // The server decides about its connections; the SDK keeps those of streams alive.
  response.headers.delete('connection')
  return reply.send(response)
}

/** Titles that the description of the tools may have. */
const MAX_TITLES = 10

/** Passes on only the headers that the protocol defines, not the key. */
function createRequest(origin: string, { headers, body }: FastifyRequest, signal: AbortSignal): Request {
  const names = Object.keys(headers).filter((name) => /^(?:accept|content-type|mcp-[\w-]+)$/.test(name))
  const passed = names.map((name): [string, string] => [name, String(headers[name])])
  return new Request(new URL('/mcp', origin), {
    method: 'POST',
    headers: passed,
    body: (body as Uint8Array<ArrayBuffer> | undefined) ?? null,
    signal,
  })
}

/** @throws SourceError `quota_exceeded` */
function requireAllowed(
  { allowed, limit, remaining, resetAt, isFallback }: QuotaState,
  requests: number,
): void {
  if (allowed) return
  const shortage =
    remaining > 0
      ? `This call counts as ${requests} requests, but only ${remaining} are left. Send a smaller max_tokens.`
      : `All ${limit} requests of this UTC day are used up.`
  const message = isFallback
    ? 'Requests cannot be counted at the moment, and the part of the daily quota available meanwhile is used up.'
    : shortage
  const hint = isFallback ? 'Try again in 30 seconds.' : `The quota resets at ${resetAt.toISOString()}.`
  throw new SourceError('quota_exceeded', message, `${hint} Answer with what you have.`)
}

interface CatalogReaders {
  readonly catalog: Catalog
  readonly sections: SectionReads
  readonly packSearch: PackSearch
  /** Account of the reader; accounts take turns. */
  readonly owner: string
  /** Called with details of damage, which the reader does not get. */
  readonly onDamage: (error: CatalogError) => void
}

/** Serves all text, or only previews. It does not charge anything. */
export function createCatalogSource(readers: CatalogReaders, scope: ReadingScope): DocsSource {
  const { catalog, packSearch, owner, onDamage } = readers
  return {
    search: (query, { signal, ...asked }) =>
      explainErrors(onDamage, async () => {
        const page = await packSearch.search({ ...asked, text: query, offset: 0 }, scope, owner)
        signal.throwIfAborted()
        return { sections: page.hits.map(describeHit), corrected: page.corrected, stale: false }
      }),
    context: (query, { signal, ...asked }) =>
      explainErrors(onDamage, async () => {
        const question = { ...asked, text: query, scope, tokenizer: 'o200k_base' } as const
        const found = await packSearch.context(question, owner)
        signal.throwIfAborted()
        return describeContext(found, asked.budget)
      }),
    list: (limit, signal) =>
      explainErrors(onDamage, async () => {
        const { packs } = await catalog.packs.list({ limit, offset: 0 })
        signal.throwIfAborted()
        return packs.map((pack) => ({
          pack: pack.slug,
          version: pack.version,
          digest: null,
          title: pack.title,
          domain: pack.domain,
          tokens: pack.uncompressed_estimate,
        }))
      }),
    open: (name, signal) =>
      explainErrors(onDamage, async () => {
        const record = await findVersion(catalog, name)
        signal.throwIfAborted()
        return openVersion(readers, record, scope)
      }),
  }
}

/** Finds the newest version that a name allows. A yanked one is found only by its exact number. */
async function findVersion({ packs }: Catalog, name: string): Promise<VersionRecord> {
  const { pack, range } = parsePackName(name)
  const newest = range === undefined ? await packs.find(pack) : undefined
  if (newest !== undefined) return newest
  const versions = await packs.versions(pack)
  if (versions.length === 0) throw packNotFoundError(pack, await listSimilarPacks(packs, pack))
  const chosen = chooseVersion(versions, range)
  const found = chosen && (await packs.find(pack, chosen.version))
  const purged = found === undefined && findPurged(versions, range)
  if (purged) throw purgedVersionError(purged, range)
  if (found === undefined) throw VersionError.noMatch(pack, versions, range)
  return found
}

function openVersion(
  { sections: reader, onDamage }: CatalogReaders,
  record: VersionRecord,
  scope: ReadingScope,
): OpenedPack {
  const { sequence, slug, version, title, tokenizer } = record
  const locked = scope === 'preview'
  const digest = locked ? null : record.pack_digest
  const signer = locked ? undefined : record.signatures.at(-1)?.key_id
  const names: PackIdentity = { pack: slug, version, digest, title, ...(signer !== undefined && { signer }) }

  const describe = (section: CodecSection, preview: number): OutlinedSection =>
    locked ? describeSection(hideCounts(section, preview), preview) : describeSection(section)

  return {
    ...names,
    tokenizer,
    tokens: locked ? record.preview_tokens : record.uncompressed_estimate,
    locked,
    outline: () =>
      explainErrors(onDamage, async () => {
        const { sections, preview, total } = requireFound(await reader.page(sequence, 0, MAX_OUTLINE))
        return { sections: sections.map((section) => describe(section, preview)), total }
      }),
    find: (id) =>
      explainErrors(onDamage, async () => {
        const { section, nearest, preview } = requireFound(await reader.find(sequence, id))
        return { section: section && describe(section, preview), nearest }
      }),
    read: (part) =>
      explainErrors(onDamage, () =>
        part === undefined ? readAll(reader, sequence, scope) : readPart(reader, sequence, scope, part),
      ),
  }
}

async function readPart(
  reader: SectionReads,
  sequence: number,
  scope: ReadingScope,
  { id, subtree }: SectionPart,
): Promise<LinkedText> {
  const { start, end, subtreeEnd } = requireFound((await reader.find(sequence, id))?.section)
  return reader.text(sequence, { start, end: subtree ? subtreeEnd : end }, scope)
}

/** Reads the body or its preview. The body is all sections joined. */
async function readAll(reader: SectionReads, sequence: number, scope: ReadingScope): Promise<LinkedText> {
  const first = requireFound(await reader.page(sequence, 0, 1))
  const last = await reader.page(sequence, Math.max(0, first.total - 1), 1)
  const end = scope === 'preview' ? first.preview : (last?.sections[0]?.end ?? 0)
  return reader.text(sequence, { start: 0, end }, scope)
}

/** Throws if the rows of a version were deleted, which this program never does. */
function requireFound<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new Error('A version that was found no longer exists')
}

/** Rejects with errors that reveal no more than a reader may know. */
function explainErrors<T>(onDamage: CatalogReaders['onDamage'], work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw explainError(error, onDamage)
  })
}

function explainError(error: unknown, onDamage: CatalogReaders['onDamage']): unknown {
  if (!(error instanceof CatalogError)) return error
  if (error.code === 'catalog_damaged') {
    onDamage(error)
    const hint = 'Use another version or another pack; the damage was logged for the operator.'
    return new SourceError('damaged_pack', 'This pack is damaged in the catalog.', hint, { cause: error })
  }
  if (error.code === 'purged_version')
    return new SourceError(error.code, `${error.message}.`, error.hint, { cause: error })
  const hint = 'Try again in a few seconds.'
  if (error.code === 'too_many_at_once')
    return new SourceError(error.code, `${error.message}.`, hint, { cause: error })
  if (!/^(?:search_busy|catalog_busy|catalog_unavailable)$/.test(error.code)) return error
  return new SourceError('unavailable', 'The catalog is temporarily unavailable.', hint, { cause: error })
}
