import { createRequire } from 'node:module'
import { listSimilarPacks, type IndexContext, type SearchedIndex } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { logDamaged } from '../errors/send-problem.ts'
import { requireCaller, revalidateOrCharge } from '../hooks/caller.ts'
import { JSON_TYPE, MARKDOWN_TYPE, prefersType, REVALIDATE } from '../http/headers.ts'
import {
  contextPacks,
  domain,
  parseQuery,
  question,
  tokenizer,
  wholeNumber,
  type QueryValues,
} from '../http/parse-query.ts'
import { type BodySource, createBodyCache } from '../response-cache/body.ts'
import { sendBody, writeIncompleteTag } from '../response-cache/etag.ts'
import type { PackFinder } from '../response-cache/pack-finder.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { packFields } from './pack-responses.ts'
import { ignoreDamage } from './search-packs.ts'
import { sectionNames } from './sections/section-responses.ts'
import { packNotFoundError } from './send-version.ts'

/** Another program may choose other passages. */
const { version: program } = createRequire(import.meta.url)('@packs/search/package.json') as {
  readonly version: string
}

const MIN_BUDGET = 200
const MAX_BUDGET = 16_000
/** Tokens of budget that are charged as one request. */
const TOKENS_PER_REQUEST = 4000
/** Answers have a cache of their own, so that questions do not push packs out of the shared one. */
const CACHE_BYTES = 8 * 1024 * 1024

const query = {
  q: question,
  budget: wholeNumber(MIN_BUDGET, MAX_BUDGET).default(2000).describe('Maximum tokens of the text'),
  pack: contextPacks,
  domain: domain.optional(),
  tokenizer: tokenizer.default('o200k_base').describe('Tokenizer to count with'),
}

type ContextValues = QueryValues<typeof query>

const digest = packFields.pack_digest
  .nullable()
  .describe('Digest of the version; null if its rows are damaged')

const contextSchema = z
  .object({
    text: z
      .string()
      .describe('The passages, ready to send to a model, each in tags; empty if nothing matches'),
    tokens: z.int().describe('Tokens of the text, at most `budget`'),
    tokenizer: packFields.tokenizer.describe('Tokenizer of `tokens`, here and of passages'),
    budget: z.int(),
    passages: z
      .array(
        z.object({
          pack: packFields.slug,
          version: packFields.version,
          pack_digest: digest,
          section: sectionNames.id,
          sections: z
            .array(z.string())
            .describe('Ids of all sections of the passage, which follow one another'),
          path: sectionNames.path,
          tokens: z.int().describe('Tokens of the passage with its tags'),
          score: z.number().describe('How well it matches; comparable within a response only'),
        }),
      )
      .describe('What the text consists of, in order'),
    omitted: z
      .array(
        z.object({
          pack: packFields.slug,
          version: packFields.version,
          pack_digest: digest,
          section: sectionNames.id,
          path: sectionNames.path,
          tokens: z.int().describe('Tokens as plain text, without tags, of the tokenizer of the pack'),
          reason: z
            .enum(['budget', 'duplicate', 'locked'])
            .describe(
              '`budget`: other passages say more for their tokens; `duplicate`: a better passage has nearly the same text; `locked`: the tier may not read it',
            ),
        }),
      )
      .describe('Sections that match and are not in the text, best first; at most 10'),
    corrected: z
      .string()
      .nullable()
      .describe('The question with unknown words replaced by words from the catalog; null if none was'),
    index: z
      .enum(['ready', 'building'])
      .describe('`building`: the text of some packs is not indexed yet, so they have no passages'),
  })
  .meta({ title: 'Context for a question' })

/** `GET /context`: the passages that answer a question within a budget of tokens. */
export function createGetContextRoute(context: RouteContext): ApiRoute {
  const cache = createBodyCache(CACHE_BYTES)
  return {
    path: '/context',
    operationId: 'getContext',
    summary: 'Get the passages that answer a question',
    description:
      'Whole sections, or the best paragraphs of long ones, from the latest versions of packs, as plain text within a budget of tokens. `[…]` marks what is omitted of a section. Each 4,000 tokens of budget begun are charged as one request, even if nothing matches. Free accounts get passages from previews. `Accept: text/markdown` returns only the text.',
    parameters: {},
    query,
    bodies: {
      'application/json': contextSchema,
      'text/markdown': z.string().describe('The passages, each in tags'),
    },
    headers: ['etag', 'content-digest'],
    errorCodes: ['pack_not_found', 'over_budget', 'internal_error', 'damaged_pack'],
    handle: (request, reply) => sendContext({ ...context, bodyCache: cache }, request, reply),
  }
}

async function sendContext(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { bodyCache, finder, log, packSearch, quota } = context
  const values = parseQuery(request.url, query)
  const { account } = requireCaller(request)
  const sequence = await context.readSequence()
  for (const name of values.pack ?? []) {
    if ((await finder.findLatest(name, sequence)) !== undefined) continue
    await quota.charge(request, reply)
    throw packNotFoundError(name, await listSimilarPacks(context.catalog.packs, name))
  }
  const index = await packSearch.readIndex()
  const scope = account.tier === 'pro' ? 'full' : 'preview'
  const isMarkdown = prefersType(request.headers.accept, 'text/markdown')
  const name = JSON.stringify(['context', program, values, scope, index, isMarkdown])
  const tag = context.writeTag(sequence, name, contextSchema)
  const count = Math.ceil(values.budget / TOKENS_PER_REQUEST)
  const response = { tag, weak: true, caching: REVALIDATE }
  if (await revalidateOrCharge(quota, request, reply, response, count)) return reply
  const body = await bodyCache.obtain(tag, async (): Promise<BodySource> => {
    const { q: text, pack: packs, ...options } = values
    const found = await packSearch.context({ ...options, text, packs, scope }, account.id)
    logDamaged(log, request, found.damaged)
    if (found.needed !== null) throw overBudgetError(values, found.needed)
    // The passages of an incomplete index may change while the sequence does not.
    const isIncomplete = index !== 'ready' || found.damaged.length > 0
    return {
      text: isMarkdown
        ? found.text
        : JSON.stringify(await describeContext(finder, { values, index, sequence }, found)),
      type: isMarkdown ? MARKDOWN_TYPE : JSON_TYPE,
      tag: isIncomplete ? writeIncompleteTag(tag) : tag,
      weak: true,
      isIncomplete,
    }
  })
  return sendBody(request, reply, body, REVALIDATE)
}

function overBudgetError({ budget }: ContextValues, tokens: number): ApiError {
  const detail = `No passage fits ${budget} tokens: the smallest takes ${tokens}`
  return new ApiError('over_budget', detail, { members: { tokens } })
}

interface Request {
  readonly values: ContextValues
  readonly index: SearchedIndex
  readonly sequence: number
}

async function describeContext(
  finder: PackFinder,
  { values, index, sequence }: Request,
  { text, tokens, passages, omitted, corrected }: IndexContext,
): Promise<object> {
  const { budget, tokenizer: name } = values
  const identify = async ({ slug, version }: IndexContext['passages'][number]['pack']): Promise<object> => {
    const found = await finder.findVersion(slug, version, sequence).catch(ignoreDamage)
    return { pack: slug, version, pack_digest: found?.digest ?? null }
  }
  return contextSchema.parse({
    text,
    tokens,
    tokenizer: name,
    budget,
    passages: await Promise.all(
      passages.map(async ({ pack, sections, path, tokens: own, score }) => ({
        ...(await identify(pack)),
        section: sections[0]?.id,
        sections: sections.map(({ id }) => id),
        path,
        tokens: own,
        score,
      })),
    ),
    omitted: await Promise.all(
      omitted.map(async ({ pack, section, reason }) => ({
        ...(await identify(pack)),
        section: section.id,
        path: section.path,
        tokens: section.tokens,
        reason,
      })),
    ),
    corrected,
    index,
  })
}
