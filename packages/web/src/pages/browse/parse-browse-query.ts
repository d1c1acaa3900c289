import type { PackOrder } from '@packs/catalog'
import type { Difficulty } from '@packs/codec/pack'
import { z } from 'zod'
import { WebError } from '../../web-error.ts'

/** Packs per page of the list. */
export const PAGE_SIZE = 20
/** Packs that paging can reach, as in the API. */
const MAX_REACHABLE = 10_000

export const difficulties: readonly Difficulty[] = ['beginner', 'intermediate', 'advanced', 'expert']

export interface BrowseQuery {
  readonly search: string
  readonly domain: string
  readonly difficulty: Difficulty | ''
  readonly sort: PackOrder
  readonly page: number
}

const schema = z.object({
  search: z.string().trim().max(200).default(''),
  domain: z
    .union([
      z.literal(''),
      z
        .string()
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        .max(100),
    ])
    .default(''),
  difficulty: z.enum(['', 'beginner', 'intermediate', 'advanced', 'expert']).default(''),
  sort: z
    .enum(['', 'title', 'newest', 'smallest', 'saved'])
    .default('')
    .transform((sort) => sort || 'title'),
  page: z
    .union([z.literal(''), z.string().regex(/^[1-9]\d{0,4}$/)])
    .default('')
    .transform((text) => Number(text || 1))
    .refine((page) => page * PAGE_SIZE <= MAX_REACHABLE),
})

const hints: ReadonlyMap<unknown, string> = new Map([
  ['search', 'Search for words in a title, up to 200 characters.'],
  ['domain', 'Choose a domain from the list.'],
  ['difficulty', `Choose one of ${difficulties.join(', ')}.`],
  ['sort', 'Sort by one of title, newest, smallest, saved.'],
  ['page', `Pages go from 1 to ${MAX_REACHABLE / PAGE_SIZE}; narrow the list by search or domain.`],
])

/** Parses the query of the list. Empty fields, as forms send them, mean the default. @throws WebError `invalid_query` */
export function parseBrowseQuery(query: unknown): BrowseQuery {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path[0]
  throw new WebError('invalid_query', `The field “${String(field)}” is not valid`, hints.get(field) ?? '')
}

/** Formats the path of the list for a query, without default values. */
export function formatBrowsePath({ sort, page, ...filters }: BrowseQuery): string {
  const fields = Object.entries({
    ...filters,
    sort: sort === 'title' ? '' : sort,
    page: page > 1 ? String(page) : '',
  })
  const query = new URLSearchParams(fields.filter(([, value]) => value !== ''))
  return query.size === 0 ? '/browse' : `/browse?${query.toString()}`
}
