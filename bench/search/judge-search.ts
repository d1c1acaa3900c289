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

/** Shares of queries in percent; those about sections count only queries that a section answers. */
export interface SearchFigures {
  readonly engine: string
  readonly kind: string
  readonly queries: number
  readonly packFirst: number
  readonly packInFive: number
  readonly sectionInFive: number
  /** With the sections beside the second hit of a pack. */
  readonly sectionOrAlso: number
  /** Mean tokens of the first hit, and of the first pack as a whole. */
  readonly tokensOfFirst: number
  readonly tokensOfPack: number
}

interface JudgedRow {
  readonly kind: string
  readonly hasSections: boolean
  readonly packFirst: boolean
  readonly packInFive: boolean
  readonly sectionInFive: boolean
  readonly sectionOrAlso: boolean
  readonly tokensOfFirst: number
  readonly tokensOfPack: number
}

/** Runs queries, and returns figures of all and of each kind. */
export async function judgeSearch(
  engine: string,
  packs: readonly SetPack[],
  queries: readonly Query[],
  search: (text: string) => Promise<readonly FoundHit[]> | readonly FoundHit[],
): Promise<SearchFigures[]> {
  const costs = new Map(packs.flatMap(({ sections }) => sections.map(({ name, tokens }) => [name, tokens])))
  const wholes = new Map(packs.map(({ slug, tokens }) => [slug, tokens]))
  const rows: JudgedRow[] = []
  for (const query of queries) {
    const five = (await search(query.text)).slice(0, 5)
    const [first] = five
    const isRight = (slug: string, id: string | null): boolean =>
      query.sections?.has(`${slug}#${id}`) ?? false
    const inFive = five.some(({ slug, section }) => isRight(slug, section))
    const whole = wholes.get(first?.slug ?? '') ?? 0
    rows.push({
      kind: query.kind,
      hasSections: query.sections !== null,
      packFirst: first !== undefined && query.packs.has(first.slug),
      packInFive: five.some(({ slug }) => query.packs.has(slug)),
      sectionInFive: inFive,
      sectionOrAlso: inFive || five.some(({ slug, also }) => also.some((id) => isRight(slug, id))),
      tokensOfFirst: first?.section == null ? whole : (costs.get(`${first.slug}#${first.section}`) ?? 0),
      tokensOfPack: whole,
    })
  }
  const kinds = [...new Set(rows.map(({ kind }) => kind))].toSorted()
  return ['all', ...kinds].map((kind) => {
    const own = rows.filter((row) => kind === 'all' || row.kind === kind)
    const answered = own.filter(({ hasSections }) => hasSections)
    const mean = (of: readonly JudgedRow[], value: (row: JudgedRow) => number | boolean): number =>
      of.reduce((sum, row) => sum + Number(value(row)), 0) / Math.max(1, of.length)
    return {
      engine,
      kind,
      queries: own.length,
      packFirst: round(100 * mean(own, (row) => row.packFirst)),
      packInFive: round(100 * mean(own, (row) => row.packInFive)),
      sectionInFive: round(100 * mean(answered, (row) => row.sectionInFive)),
      sectionOrAlso: round(100 * mean(answered, (row) => row.sectionOrAlso)),
      tokensOfFirst: Math.round(mean(own, (row) => row.tokensOfFirst)),
      tokensOfPack: Math.round(mean(own, (row) => row.tokensOfPack)),
    }
  })
}
