import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import { explainError, formatError, type OpenedPack, type PackSource } from '@packs/client/agent-tools'

const MARKDOWN = 'text/markdown'
/** Packs on a page of the list. */
const PAGE = 100
/** Packs that pages can reach, as in lists of the API. */
const MAX_REACHABLE_PACKS = 10_000
/** Larger packs are read by their sections. */
const MAX_RESOURCE_TOKENS = 1_000_000

/** What both handlers need. */
export interface ResourceContext {
  readonly source: PackSource
  readonly charge?: (() => Promise<void>) | undefined
  readonly onError: (error: unknown) => void
}

export const resourceTemplate: ResourceTemplateType = {
  uriTemplate: 'pack://{slug}@{version}',
  name: 'pack',
  title: 'A version of a pack',
  description: 'The text of a pack as read_pack returns it',
  mimeType: MARKDOWN,
}

/**
 * Lists the newest version of each of the first 10,000 packs, a hundred on a page.
 *
 * @throws ProtocolError
 */
export async function listResources(
  { source, onError }: ResourceContext,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const offset = Number(cursor ?? 0)
  if (cursor !== undefined && !(/^[1-9]\d{0,4}$/.test(cursor) && offset + PAGE <= MAX_REACHABLE_PACKS))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not from this list')
  const { packs, hasMore } = await explain(() => source.list(offset, PAGE, signal), onError)
  const next = offset + PAGE
  const resources = packs.map(({ slug, version, title }) => ({
    uri: `pack://${slug}@${version}`,
    name: slug,
    title,
    mimeType: MARKDOWN,
  }))
  return { resources, ...(hasMore && next < MAX_REACHABLE_PACKS && { nextCursor: String(next) }) }
}

/**
 * Reads a version of a pack.
 *
 * @throws ProtocolError
 */
export async function readResource(
  { source, charge, onError }: ResourceContext,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, name] = /^pack:\/\/([a-z0-9-]{1,100}@\d{1,9}\.\d{1,9}\.\d{1,9})$/.exec(uri) ?? []
  if (name === undefined) throw new ResourceNotFoundError(uri.slice(0, 200).toWellFormed())
  return explain(async () => {
    await charge?.()
    const pack = await openResource(source, name, signal)
    if (pack === undefined) throw new ResourceNotFoundError(uri)
    if (pack.tokens > MAX_RESOURCE_TOKENS) {
      const message = `${name} has about ${pack.tokens} tokens; read it by its sections, with the tool read_pack`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
    const text = await pack.read(undefined, signal)
    const meta = pack.digest === undefined ? {} : { _meta: { pack_digest: pack.digest } }
    return { contents: [{ uri, mimeType: MARKDOWN, text, ...meta }] }
  }, onError)
}

const NOT_FOUND = new Set([
  'pack_not_found',
  'version_not_found',
  'no_matching_version',
  'not_in_lock',
  'invalid_name',
])

/** Returns undefined for a pack or version that the source does not have. */
async function openResource(
  source: PackSource,
  name: string,
  signal: AbortSignal,
): Promise<OpenedPack | undefined> {
  try {
    return await source.open(name, signal)
  } catch (error) {
    if (NOT_FOUND.has(explainError(error)?.code ?? '')) return undefined
    throw error
  }
}

/**
 * Turns errors into protocol errors, the only way to say what is wrong with a resource.
 */
async function explain<Result>(
  work: () => Promise<Result>,
  onError: (error: unknown) => void,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const explained = explainError(error)
    if (explained !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InternalError, formatError(explained))
    onError(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The server failed; it has logged the reason')
  }
}
