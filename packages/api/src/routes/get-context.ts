import { createRequire } from 'node:module'
import { listSimilarPacks, type IndexContext, type WholePacks } from '@packs/catalog'
import { z } from 'zod'
import { invalidParametersError } from '../errors/api-error.ts'
import { requireCaller } from '../hooks/caller.ts'
import { MARKDOWN_TYPE, prefersType } from '../http/headers.ts'
import {
  contextPacks,
  domain,
  linkForm,
  parseQuery,
  question,
  tokenizer,
  wholeNumber,
  yesOrNo,
  type QueryValues,
} from '../http/parse-query.ts'
import { type FoundPack, createBodyCache } from '../response-cache/body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import { packFields } from './pack-responses.ts'
import { sectionNames } from './get-sections.ts'
import { type ListValue, sendList } from './send-list.ts'
import { missingError, packNotFoundError } from './send-version.ts'

/** Another program may choose other passages. */
const { version: program } = createRequire(import.meta.url)('@packs/search/package.json') as {
  readonly version: string
}

const MIN_BUDGET = 1
const DEFAULT_BUDGET = 2000
/** With a question, and for whole packs, where it is the default too. */
const MAX_BUDGET = 16_000
const MAX_WHOLE = 200_000
/** Bytes of the documents of packs that are sent whole. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024
/** Tokens of budget that are charged as one request, with a question. */
const TOKENS_PER_REQUEST = 4000
/** Part of the memory for answers, so that questions do not push packs out of the shared cache. */
const CACHE_PART = 64

const query = {
  q: question.optional(),
  budget: wholeNumber(MIN_BUDGET, MAX_WHOLE)
    .optional()
    .describe(
      'Maximum tokens of the text: with `q` at most 16,000, and 2,000 by default; without it 200,000 by default',
    ),
  pack: contextPacks,
  domain: domain.optional(),
  tokenizer: tokenizer.default('o200k_base').describe('Tokenizer to count with'),
  links: linkForm.optional(),
  fill: yesOrNo
    .optional()
    .describe('`true`: sections that add little get what is left of the budget, best first; only with `q`'),
}

type ContextValues = QueryValues<typeof query> & { readonly budget: number }

const found = {
  pack: packFields.slug,
  version: packFields.version,
  pack_digest: packFields.pack_digest.nullable().describe('Digest of the version; null for Free accounts'),
  title: packFields.title,
  section: sectionNames.id,
}

const contextSchema = z
  .object({
    text: z
      .string()
      .describe(
        'That documents are data, and the passages or packs, each in a tag; or that nothing matches; empty if nothing fits',
      ),
    links: z
      .record(z.string(), z.string())
      .describe(
        'Addresses of the links in the text, by number, counted over the whole text and completed by the URLs of their pages; empty for other forms',
      ),
    tokens: z.int().describe('Tokens of the text, at most `budget`'),
    tokenizer: packFields.tokenizer.describe('Tokenizer of `tokens`, here and of passages'),
    budget: z.int(),
    needed: z
      .int()
      .nullable()
      .describe(
        'If the text is empty because nothing fits: tokens that the smallest passage takes, or all packs together; for packs of far more tokens an estimate',
      ),
    match: z
      .enum(['good', 'partial', 'none'])
      .describe(
        'How well the passages answer: `partial` in part, `none` if no section seems to answer; `good` for whole packs',
      ),
    corrected: z
      .string()
      .nullable()
      .describe(
        'The question with unknown words replaced by words from the catalog, an offer if there are no passages; null if none was',
      ),
    passages: z
      .array(
        z.object({
          ...found,
          sections: z
            .array(z.string())
            .describe('Ids of all sections of the passage, which follow one another'),
          path: sectionNames.path.describe(
            'Title of the pack, then those of the headings above it and its own',
          ),
          tokens: z.int().describe('Tokens of the passage with its tags'),
          score: z
            .number()
            .describe('How well it matches; comparable within a response only, and 1 for packs'),
          text: z.string().describe('What is inside its tags, with the numbers of `links`'),
          url: z
            .string()
            .nullable()
            .describe(
              'Address of its first section: the URL of its page and its id; null if the URL is not known',
            ),
        }),
      )
      .describe('What the text consists of, in order'),
    omitted: z
      .array(
        z.object({
          ...found,
          path: sectionNames.path.describe('As of passages'),
          tokens: z.int().describe('Tokens as plain text, without tags, of the tokenizer of the pack'),
          reason: z
            .enum(['weak', 'duplicate', 'budget', 'locked'])
            .describe(
              '`weak`: it says little that the passages do not; `duplicate`: a better passage has nearly the same text; `budget`: it needs more tokens than are left, or less than half of it is in the text; `locked`: the tier may not read it',
            ),
        }),
      )
      .describe(
        'Sections that match and are not in the text, best first, at most 10; without `q` the first one of each pack that the tier may not read, or each pack if they do not fit together',
      ),
  })
  .meta({ title: 'Context for a question' })

/** `GET /context`: passages that answer a question, or whole packs, within a budget of tokens. */
export function createGetContextRoute(shared: RouteContext): ApiRoute {
  const context = { ...shared, bodyCache: createBodyCache((shared.catalog.memory / CACHE_PART) * 2 ** 20) }
  return {
    path: '/context',
    operationId: 'getContext',
    summary: 'Get the passages that answer a question, or whole packs',
    description:
      'Whole sections, or the best paragraphs of long ones, from the latest versions of packs, as plain text within a budget of tokens. `[…]` marks what is omitted of a section. Each 4,000 tokens of budget begun are charged as one request, even if nothing matches. Without `q`, the packs that `pack` names, whole and in that order; each is charged as one request, all or none. Free accounts get previews, and passages from them. `Accept: text/markdown` returns only the text.',
    parameters: {},
    query,
    bodies: {
      'application/json': contextSchema,
      'text/markdown': z
        .string()
        .describe('That documents are data, and the passages or packs, each in a tag'),
    },
    headers: ['etag', 'content-digest'],
    errorCodes: ['pack_not_found', 'purged_version', 'internal_error', 'damaged_pack'],
    async handle(request, reply) {
      const { finder, packSearch, quota } = context
      const values = readValues(request.url)
      const { account } = requireCaller(request)
      const sequence = await context.readSequence()
      const named = new Map<string, FoundPack>()
      for (const name of values.pack ?? []) {
        const found = await finder.findLatest(name, sequence)
        if (found === undefined) {
          await quota.check(reply)
          const error = await missingError(context, name)
          if (error.code === 'purged_version') throw error
          throw packNotFoundError(name, await listSimilarPacks(context.catalog.packs, name))
        }
        named.set(found.slug, found)
      }
      const { q: text, pack: packs, domain: only, budget, tokenizer: counter } = values
      if (text === undefined) checkSize([...named.values()])
      const scope = account.tier === 'pro' ? 'full' : 'preview'
      const isMarkdown = prefersType(request.headers.accept, 'text/markdown')
      const create = async (): Promise<ListValue> => {
        const links = values.links ?? (isMarkdown ? 'inline' : 'number')
        const options = { budget, tokenizer: counter, scope, links } as const
        const found =
          text === undefined
            ? describeWhole(await context.sections.for(account.id).whole([...named.values()], options))
            : await packSearch.context(
                { ...options, text, packs, domain: only, fill: values.fill },
                account.id,
              )
        const { damaged } = found
        return isMarkdown
          ? { value: found.text, type: MARKDOWN_TYPE, damaged }
          : { value: describeContext(values, found), damaged }
      }
      return sendList(context, reply, {
        sequence,
        name: JSON.stringify(['context', program, values, scope, isMarkdown]),
        schema: contextSchema,
        count: text === undefined ? named.size : Math.ceil(budget / TOKENS_PER_REQUEST),
        create,
      })
    },
  }
}

/** @throws ApiError `invalid_parameter` */
function readValues(url: string): ContextValues {
  const values = parseQuery(url, query)
  const { q, pack, domain: only, fill, budget = q === undefined ? MAX_WHOLE : DEFAULT_BUDGET } = values
  if (q === undefined && pack === undefined)
    throw invalidParametersError([{ parameter: 'q', detail: 'is required, unless pack names packs' }])
  if (q === undefined && only !== undefined)
    throw invalidParametersError([{ parameter: 'domain', detail: 'needs the parameter q' }])
  if (q === undefined && fill !== undefined)
    throw invalidParametersError([{ parameter: 'fill', detail: 'needs the parameter q' }])
  if (q !== undefined && budget > MAX_BUDGET)
    throw invalidParametersError([{ parameter: 'budget', detail: 'must be at most 16,000 with q' }])
  return { ...values, budget }
}

/** @throws ApiError `invalid_parameter` */
function checkSize(packs: readonly FoundPack[]): void {
  if (packs.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_WHOLE_BYTES) return
  const detail = 'names over 16 MiB of packs; name fewer, or ask a question with q'
  throw invalidParametersError([{ parameter: 'pack', detail }])
}

/** What an answer consists of. */
interface FoundContext extends Pick<
  IndexContext,
  'text' | 'links' | 'tokens' | 'needed' | 'match' | 'corrected' | 'damaged'
> {
  readonly passages: readonly Passage[]
  readonly omitted: readonly (Pick<IndexContext['omitted'][number], 'path' | 'reason'> & {
    readonly pack: NamedVersion
    readonly section: { readonly id: string; readonly tokens: number }
  })[]
}

type NamedVersion = Pick<WholePacks['packs'][number], 'slug' | 'version' | 'pack_digest' | 'title'>

interface Passage extends Omit<IndexContext['passages'][number], 'pack' | 'sections'> {
  readonly pack: NamedVersion
  readonly sections: readonly { readonly id: string }[]
}

/** Names a pack as a whole by its first section. */
function describeWhole({ text, links, tokens, needed, packs }: WholePacks): FoundContext {
  return {
    text,
    links,
    tokens,
    needed,
    match: needed === null ? 'good' : 'none',
    corrected: null,
    damaged: [],
    passages: (needed === null ? packs : []).map((pack) => ({
      pack,
      sections: pack.sections.map((id) => ({ id })),
      path: [pack.title],
      tokens: pack.tokens,
      score: 1,
      text: pack.text,
      url: pack.url,
    })),
    omitted: packs.flatMap((pack) => {
      const { title, tokens: own, locked, sections } = pack
      const section = { id: sections[0] ?? '~intro', tokens: own }
      if (needed !== null) return { pack, section, path: [title], reason: 'budget' as const }
      if (locked === undefined) return []
      const path = [title, ...(locked.path[0] === title ? locked.path.slice(1) : locked.path)]
      return { pack, section: locked, path, reason: 'locked' as const }
    }),
  }
}

function describeContext(
  { budget, tokenizer: name }: ContextValues,
  { passages, omitted, ...found }: FoundContext,
): object {
  const identify = ({ slug, version, pack_digest, title }: NamedVersion): object => {
    return { pack: slug, version, pack_digest, title }
  }
  return {
    ...found,
    tokenizer: name,
    budget,
    passages: passages.map(({ pack, sections, ...passage }) => ({
      ...identify(pack),
      section: sections[0]?.id ?? '~intro',
      sections: sections.map(({ id }) => id),
      ...passage,
    })),
    omitted: omitted.map(({ pack, section, path, reason }) => ({
      ...identify(pack),
      section: section.id,
      path,
      tokens: section.tokens,
      reason,
    })),
  }
}
