import type { PackOrder } from '@packs/catalog'
import { listPhrases, MAX_PHRASES } from '@packs/search'
import type { Difficulty } from '@packs/codec/pack'
import { z } from 'zod'
import { WebError } from '../../web-error.ts'

export const PAGE_SIZE = 20
/** Code points of a search by best match, as in the API, and of a search in titles. */
const MAX_SEARCH = 400
const MAX_TITLE_SEARCH = 200
/** Packs that paging can reach, as in the API. */
const MAX_REACHABLE = 10_000

export const difficulties: readonly Difficulty[] = ['beginner', 'intermediate', 'advanced', 'expert']

export interface BrowseQuery {
  readonly search: string
  readonly domain: string
  readonly difficulty: Difficulty | ''
  /** `relevance` searches headings and text too; the other orders search only titles. */
  readonly sort: PackOrder | 'relevance'
  readonly page: number
}

const schema = z.object({
  search: z
    .string()
    .trim()
    .refine((text) => Array.from(text).length <= MAX_SEARCH)
    .default(''),
  domain: z
    .string()
    .regex(/^(?:[a-z0-9]+(-[a-z0-9]+)*)?$/)
    .max(100)
    .default(''),
  difficulty: z.enum(['', ...difficulties]).default(''),
  sort: z
    .enum(['', 'relevance', 'title', 'newest', 'smallest', 'saved'])
    .default('')
    .transform((sort) => sort || 'relevance'),
  page: z
    .string()
    .regex(/^(?:[1-9]\d{0,4})?$/)
    .default('')
    .transform((text) => Number(text || 1))
    .refine((page) => page * PAGE_SIZE <= MAX_REACHABLE),
})

const hints: Readonly<Record<string, string>> = {
  search: `Use at most ${MAX_SEARCH} characters for a search by best match, and ${MAX_TITLE_SEARCH} in the other orders.`,
  domain: 'Choose a domain from the list.',
  difficulty: `Choose one of ${difficulties.join(', ')}.`,
  sort: 'Sort by one of relevance, title, newest, smallest, saved.',
  page: `Pages go from 1 to ${MAX_REACHABLE / PAGE_SIZE}. Narrow the list with a search or a domain.`,
}

/** @throws WebError `invalid_query` */
export function parseBrowseQuery(fields: unknown): BrowseQuery {
  const parsed = schema.safeParse(fields)
  if (!parsed.success) throw queryError(String(parsed.error.issues[0]?.path[0]))
  const query = parsed.data
  if (!isRelevanceSearch(query) && Array.from(query.search).length > MAX_TITLE_SEARCH)
    throw queryError('search')
  if (listPhrases(query.search).length > MAX_PHRASES) {
    const message = `A search can have at most ${MAX_PHRASES} phrases in quotation marks`
    const hint = 'Keep the most important ones, and remove the quotation marks around the others.'
    throw new WebError('invalid_query', message, hint)
  }
  return query
}

/** Whether titles, headings and text are searched, best matches first. */
export function isRelevanceSearch({ search, sort }: BrowseQuery): boolean {
  return search !== '' && sort === 'relevance'
}

function queryError(field: string): WebError {
  return new WebError('invalid_query', `The field “${field}” is invalid`, hints[field] ?? '')
}

/** Formats the path of the list for a query, without default values. */
export function formatBrowsePath({ sort, page, ...filters }: BrowseQuery): string {
  const fields = Object.entries({
    ...filters,
    sort: sort === 'relevance' ? '' : sort,
    page: page > 1 ? String(page) : '',
  })
  const query = new URLSearchParams(fields.filter(([, value]) => value !== ''))
  return query.size === 0 ? '/browse' : `/browse?${query.toString()}`
}
