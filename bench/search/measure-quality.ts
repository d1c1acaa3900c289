import type { Query } from './load-query-set.ts'

/** A hit by the slug of its pack and the id of its section. */
export interface FoundHit {
  readonly slug: string
  /** `null` for the pack as a whole. */
  readonly section: string | null
  /** Further sections of the pack, by id. */
  readonly also: readonly string[]
}

/** Tokens of what a hit is about. */
export interface HitCosts {
  section(slug: string, section: string): number
  pack(slug: string): number
}

/** Shares of queries from 0 to 1; those about sections count only queries that a section answers. */
export interface QualityFigures {
  readonly kind: string
  readonly queries: number
  /** Queries that a section answers. */
  readonly answered: number
  readonly packFirst: number
  readonly packInFive: number
  readonly sectionInFive: number
  /** With the sections beside the second hit of a pack. */
  readonly sectionInFiveOrAlso: number
  /** Mean tokens of the first section, of the first five, and of the first pack as a whole. */
  readonly tokensOfFirst: number
  readonly tokensOfFive: number
  readonly tokensOfPack: number
}

/** Runs queries, and returns figures of all and of each kind. */
export async function measureQuality(
  queries: readonly Query[],
  search: (text: string) => Promise<readonly FoundHit[]> | readonly FoundHit[],
  costs: HitCosts,
): Promise<QualityFigures[]> {
  const rows: { readonly kind: string; readonly row: QueryRow }[] = []
  for (const query of queries)
    rows.push({ kind: query.kind, row: judge(query, await search(query.text), costs) })
  const kinds = [...new Set(rows.map(({ kind }) => kind))].toSorted()
  return [
    summarise(
      'all',
      rows.map(({ row }) => row),
    ),
    ...kinds.map((kind) =>
      summarise(
        kind,
        rows.filter((found) => found.kind === kind).map(({ row }) => row),
      ),
    ),
  ]
}

interface QueryRow {
  readonly hasSections: boolean
  readonly packFirst: boolean
  readonly packInFive: boolean
  readonly sectionInFive: boolean
  readonly sectionInFiveOrAlso: boolean
  readonly tokensOfFirst: number
  readonly tokensOfFive: number
  readonly tokensOfPack: number
}

function judge({ packs, sections }: Query, hits: readonly FoundHit[], costs: HitCosts): QueryRow {
  const five = hits.slice(0, 5)
  const [first] = five
  const cost = ({ slug, section }: FoundHit): number =>
    section === null ? costs.pack(slug) : costs.section(slug, section)
  const isRight = (slug: string, section: string | null): boolean =>
    sections?.has(`${slug}#${section}`) ?? false
  const sectionInFive = five.some(({ slug, section }) => isRight(slug, section))
  return {
    hasSections: sections !== null,
    packFirst: first !== undefined && packs.has(first.slug),
    packInFive: five.some(({ slug }) => packs.has(slug)),
    sectionInFive,
    sectionInFiveOrAlso: sectionInFive || five.some(({ slug, also }) => also.some((id) => isRight(slug, id))),
    tokensOfFirst: first === undefined ? 0 : cost(first),
    tokensOfFive: five.filter(({ section }) => section !== null).reduce((sum, hit) => sum + cost(hit), 0),
    tokensOfPack: first === undefined ? 0 : costs.pack(first.slug),
  }
}

function summarise(kind: string, rows: readonly QueryRow[]): QualityFigures {
  const answered = rows.filter(({ hasSections }) => hasSections)
  const mean = (of: readonly QueryRow[], value: (row: QueryRow) => number | boolean): number =>
    of.reduce((sum, row) => sum + Number(value(row)), 0) / Math.max(1, of.length)
  return {
    kind,
    queries: rows.length,
    answered: answered.length,
    packFirst: mean(rows, (row) => row.packFirst),
    packInFive: mean(rows, (row) => row.packInFive),
    sectionInFive: mean(answered, (row) => row.sectionInFive),
    sectionInFiveOrAlso: mean(answered, (row) => row.sectionInFiveOrAlso),
    tokensOfFirst: mean(rows, (row) => row.tokensOfFirst),
    tokensOfFive: mean(rows, (row) => row.tokensOfFive),
    tokensOfPack: mean(rows, (row) => row.tokensOfPack),
  }
}
