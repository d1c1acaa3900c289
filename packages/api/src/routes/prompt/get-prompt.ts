import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Catalog } from '@packs/catalog'
import { parsePackName, parseRange } from '@packs/codec/verify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError, invalidParametersError, tierRequiredError } from '../../errors/api-error.ts'
import { requireCaller, revalidateOrCharge } from '../../hooks/caller.ts'
import { JSON_TYPE, MARKDOWN_TYPE, REVALIDATE, prefersType } from '../../http/headers.ts'
import {
  packNames,
  parseQuery,
  scheme,
  tokenizer,
  wholeNumber,
  type QueryValues,
} from '../../http/parse-query.ts'
import type { PromptFault, PromptResult, PromptTask } from '../../prompts/compose-documents.ts'
import { clientsLeftError, type PromptSlot } from '../../prompts/create-prompt-thread.ts'
import type { Body, BodySource } from '../../response-cache/body.ts'
import type { FoundPack } from '../../response-cache/pack-finder.ts'
import { findMatchingEtag, identifyFormat, sendBody } from '../../response-cache/etag.ts'
import type { ApiRoute, RouteContext } from '../api-route.ts'
import { packFields } from '../pack-responses.ts'
import { createYankedHeader, holdLargeBody, packNotFoundError } from '../send-version.ts'

/**
 * Maximum bytes of documents read for one prompt. 16 MiB of sources take less, even with previews
 * and escapes.
 */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

const { version: codecVersion } = createRequire(import.meta.url)('@packs/codec/package.json') as {
  readonly version: string
}

const query = {
  pack: packNames,
  scheme: scheme.optional(),
  tokenizer: tokenizer.optional(),
  budget: wholeNumber(1, 99_999_999).optional().describe('Maximum tokens of the whole prompt'),
  fit: z
    .enum(['first'], { error: 'must be first' })
    .optional()
    .describe('`first`: if not all packs fit `budget`, the prompt has as many of the first ones as fit'),
}

const cost = (what: string): z.ZodType =>
  z.int().nullable().describe(`${what}; null if these packs or a glossary rule exclude it`)

const promptSchema = z
  .object({
    text: z.string().describe('The prompt, ready to send'),
    rosetta: z
      .string()
      .describe('Header that decodes the content of every pack; just `[DECODE]` if there are no terms'),
    terms: z
      .array(z.object({ term: z.string(), expansion: z.string() }))
      .describe('The entries of the header'),
    state: z.string().describe('What `extendPrompt` needs besides the text and the header'),
    tokens: z.int().describe('Tokens of the text'),
    tokenizer: packFields.tokenizer,
    scheme: packFields.compression.describe('Scheme of the plan `together`'),
    plan: z.object({
      chosen: z.enum(['sources', 'as_built', 'together']),
      costs: z
        .object({
          sources: cost('The plain sources'),
          as_built: cost('The packs as they were built, with one header'),
          together: cost('All sources compressed together, with one header'),
        })
        .describe('Tokens of the whole text under each plan'),
    }),
    packs: z
      .array(
        z.object({
          slug: packFields.slug,
          version: packFields.version,
          pack_digest: packFields.pack_digest,
          tokens: z.int().describe('Tokens of the pack in the text, including its tags but not the header'),
        }),
      )
      .describe('The packs in the text, in order; with `fit=first`, the first ones that fit'),
    notes: z
      .array(
        z.object({
          code: z.enum(['pin_clashes', 'duplicate_pack']),
          pack: z.int().describe('Index of the pack'),
          message: z.string(),
        }),
      )
      .describe('Glossary rules that were dropped, and packs with the same text as an earlier one'),
  })
  .meta({ title: 'Prompt of several packs' })

type PromptQuery = QueryValues<typeof query>

/** `GET /prompt`: composes the prompt of several packs, for Pro accounts. */
export function createGetPromptRoute(context: RouteContext): ApiRoute {
  return {
    path: '/prompt',
    operationId: 'getPrompt',
    summary: 'Compose the prompt of several packs',
    description:
      'The cheapest prompt of 1 to 50 packs, in the order of their names, with the same bytes as `pack prompt` and `composePrompt`. It contains the plain sources unless compressing saves at least 2 % and 40 tokens. For Pro accounts. Each pack is charged as one request, all or none. A pack that is named twice appears twice in the text, with a note, and is charged twice. A 503 because too many prompts are waiting is not charged. `Accept: text/markdown` returns only the text. A range selects its newest version that was not yanked; an exact version may be yanked.',
    parameters: {},
    query,
    bodies: {
      'application/json': promptSchema,
      'text/markdown': z.string().describe('The text of the prompt'),
    },
    headers: ['etag', 'content-digest', 'x-yanked'],
    errorCodes: [
      'tier_required',
      'pack_not_found',
      'version_not_found',
      'over_budget',
      'prompt_too_large',
      'internal_error',
      'damaged_pack',
    ],
    handle: (request, reply) => sendPrompt(context, request, reply),
  }
}

async function sendPrompt(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pack: names, ...options } = parseQuery(request.url, query)
  if (options.fit !== undefined && options.budget === undefined)
    throw invalidParametersError([{ parameter: 'fit', detail: 'needs the parameter budget' }])
  const { account } = requireCaller(request)
  if (account.tier !== 'pro') throw tierRequiredError('Prompts of several packs need a Pro account')
  const found = await findPromptPacks(context, names)
  if (found instanceof ApiError) {
    await context.quota.charge(request, reply)
    throw found
  }
  if (options.tokenizer === undefined) checkTokenizers(found)
  const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
  const tag = writePromptTag(found, options, format)
  const headers = createYankedHeader({ yanked: found.some(({ yanked }) => yanked) })
  const response = { tag, weak: false, caching: REVALIDATE, headers }
  const isTooLarge = found.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_DOCUMENT_BYTES
  const known = context.bodyCache.get(tag)
  const needsSlot = known === undefined && !isTooLarge && findMatchingEtag(request, response) === undefined
  // Before the charge, so that a client that gets no slot is not charged.
  const slot = needsSlot ? context.prompts.join(tag, account.id, reply.raw) : undefined
  if (await revalidateOrCharge(context.quota, request, reply, response, found.length)) return reply
  if (isTooLarge)
    throw new ApiError('prompt_too_large', 'The documents of these packs exceed 64 MiB together')
  const task = { sequences: found.map(({ sequence }) => sequence), options, format } as const
  const body = known ?? (await obtainBody(context, slot!, task, tag))
  holdLargeBody(context, request, reply, body)
  return sendBody(request, reply.headers(headers), body, REVALIDATE)
}

function checkTokenizers(found: readonly FoundPack[]): void {
  const used = new Set(found.map(({ tokenizer: name }) => name))
  if (used.size < 2) return
  const detail = `is required, because the packs were built for different tokenizers: ${[...used].join(' and ')}`
  throw invalidParametersError([{ parameter: 'tokenizer', detail }])
}

/**
 * The tag covers everything that the bytes of a prompt depend on, even the version of the program
 * that composes it.
 */
function writePromptTag(
  found: readonly FoundPack[],
  options: Omit<PromptQuery, 'pack'>,
  format: PromptTask['format'],
): string {
  const { scheme: name, tokenizer: counter, budget, fit } = options
  const digests = found.map(({ digest }) => digest)
  const input = JSON.stringify(
    [codecVersion, digests, name, counter, budget, fit].map((part) => part ?? null),
  )
  const digest = createHash('sha256').update(input).digest('base64url').slice(0, 32)
  return `prompt.${digest}.${format === 'json' ? identifyFormat(promptSchema) : format}`
}

/** Composes the prompt, once for all clients that request it at the same time. */
async function obtainBody(
  { bodyCache }: Pick<RouteContext, 'bodyCache'>,
  slot: PromptSlot,
  task: PromptTask,
  tag: string,
): Promise<Body> {
  for (;;) {
    try {
      return await bodyCache.obtain(tag, async () => createSource(await slot.compose(task)))
    } catch (error) {
      // All the others that waited have just left, and their composition was aborted.
      if (error !== clientsLeftError || slot.signal.aborted) throw error
    }
  }

  function createSource(result: PromptResult): BodySource {
    if ('fault' in result) throw promptError(result.fault)
    const bytes = Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength)
    const type = task.format === 'json' ? JSON_TYPE : MARKDOWN_TYPE
    return { text: { bytes, digest: result.digest }, type, tag, weak: false }
  }
}

function promptError({ code, message, tokens, shares }: PromptFault): ApiError {
  if (code === 'source_too_large') return new ApiError('prompt_too_large', message)
  return new ApiError('over_budget', message, { members: { tokens, shares } })
}

const MAX_LISTED = 20

/**
 * Finds the version for each name: the latest one, or the newest in its range that was not yanked.
 * An exact version may be yanked, as in its path. Returns the error for the first name that has no
 * version.
 */
async function findPromptPacks(
  { catalog, finder, readSequence }: RouteContext,
  names: readonly string[],
): Promise<readonly FoundPack[] | ApiError> {
  const sequence = await readSequence()
  const found: FoundPack[] = []
  for (const name of names) {
    const { pack, range } = parsePackName(name)
    const exact = range === undefined ? undefined : parseRange(range).exact
    const version = await (range === undefined
      ? finder.findLatest(pack, sequence)
      : exact === undefined
        ? finder.findRange(pack, range, sequence)
        : finder.findVersion(pack, exact, sequence))
    if (version === undefined) return findError(catalog, pack, range)
    found.push(version)
  }
  return found
}

async function findError({ packs }: Catalog, pack: string, range: string | undefined): Promise<ApiError> {
  const history = await packs.versions(pack)
  if (history.length === 0 || range === undefined) return packNotFoundError(pack)
  const listed = history
    .slice(0, MAX_LISTED)
    .map(({ version, yanked }) => (yanked ? `${version} (yanked)` : version))
  const more = history.length > MAX_LISTED ? ` and ${history.length - MAX_LISTED} older ones` : ''
  const detail = `${pack} has no version ${range}; it has ${listed.join(', ')}${more}`
  return new ApiError('version_not_found', detail)
}
