import { round } from '../measure.ts'
import type { Query, SetPack } from './query-set.ts'

/** A hit by the slug of its pack and the id of its section. */
export interface FoundHit {
  readonly slug: string
  /** `null` for the pack as a whole. */
  readonly section: string | null
  /** Further sections of the pack, by id. */
  readonly also: readonly string[]
}

/** Those about sections count only queries that a section answers; `sectionOrAlso` with the sections beside the second hit. */
const SHARES = ['packFirst', 'packInFive', 'sectionInFive', 'sectionOrAlso'] as const
/** Of the first hit, and of the first pack as a whole. */
const TOKENS = ['tokensOfFirst', 'tokensOfPack'] as const

/** Shares of queries in percent, and mean tokens. */
export type SearchFigures = {
  readonly engine: string
  readonly kind: string
  readonly queries: number
} & Readonly<Record<(typeof SHARES)[number] | (typeof TOKENS)[number], number>>

/** Runs the queries that one place answers, and returns figures of all and of each kind. */
export async function judgeSearch(
  engine: string,
  packs: readonly SetPack[],
  queries: readonly Query[],
  search: (text: string) => Promise<readonly FoundHit[]> | readonly FoundHit[],
): Promise<SearchFigures[]> {
  const costs = new Map(packs.flatMap(({ sections }) => sections.map(({ name, tokens }) => [name, tokens])))
  const wholes = new Map(packs.map(({ slug, tokens }) => [slug, tokens]))
  const judge = async (query: Query) => {
    const five = (await search(query.text)).slice(0, 5)
    const [first] = five
    const isRight = (slug: string, id: string | null): boolean =>
      query.parts[0]?.has(`${slug}#${id}`) ?? false
    const inFive = five.some(({ slug, section }) => isRight(slug, section))
    const whole = wholes.get(first?.slug ?? '') ?? 0
    return {
      kind: query.kind,
      hasSections: query.parts.length > 0,
      packFirst: first !== undefined && query.packs.has(first.slug),
      packInFive: five.some(({ slug }) => query.packs.has(slug)),
      sectionInFive: inFive,
      sectionOrAlso: inFive || five.some(({ slug, also }) => also.some((id) => isRight(slug, id))),
      tokensOfFirst: first?.section == null ? whole : (costs.get(`${first.slug}#${first.section}`) ?? 0),
      tokensOfPack: whole,
    }
  }
  const rows: Awaited<ReturnType<typeof judge>>[] = []
  for (const query of queries)
    if (query.packs.size > 0 && query.parts.length < 2) rows.push(await judge(query))
  return ['all', ...new Set(rows.map(({ kind }) => kind).toSorted())].map((kind) => {
    const own = rows.filter((row) => kind === 'all' || row.kind === kind)
    const answered = own.filter(({ hasSections }) => hasSections)
    const mean = (name: keyof SearchFigures & keyof (typeof own)[number]): number => {
      const of = name.startsWith('section') ? answered : own
      return of.reduce((sum, row) => sum + Number(row[name]), 0) / Math.max(1, of.length)
    }
    const figures = [
      ...SHARES.map((name) => [name, round(100 * mean(name))]),
      ...TOKENS.map((name) => [name, Math.round(mean(name))]),
    ]
    return { engine, kind, queries: own.length, ...Object.fromEntries(figures) } as SearchFigures
  })
}
