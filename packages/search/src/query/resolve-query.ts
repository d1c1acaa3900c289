import { KANA_TERM, type ReadingScope } from '../analysis/terms.ts'
import { filterTerms } from '../entries/describe-pack.ts'
import type { SearchStore, TermRow } from '../store.ts'
import type { ParsedQuery, QueryWord } from './parse-query.ts'
import { repairWord, type Repair } from './repair-word.ts'
import { listSynonyms } from '../thesaurus/list-synonyms.ts'

/** A way to write a word of a query. */
export interface Form {
  /** Numbers of terms, all of which must stand; 0 for one that the index does not have. */
  readonly terms: readonly number[]
  /** How much of the word an entry with all terms has: 1, or less for a synonym. */
  readonly share: number
}

/** A word of a query with the terms of the index. */
export interface ResolvedWord {
  /** The ways to write it that the index knows; none if it does not have the word. */
  readonly forms: readonly Form[]
  /** How much it says. */
  readonly weight: number
  /** Sections with its rarest term; 0 if the index does not have it. */
  readonly sections: number
}

/** A query with the terms of the index. */
export interface ResolvedQuery {
  readonly words: readonly ResolvedWord[]
  /** Weight of each term of the query and of each synonym, by its text. */
  readonly terms: ReadonlyMap<string, number>
  /** Weight of each term of the query, by its number. */
  readonly weights: ReadonlyMap<number, number>
  /**
   * What stands for a term, by the number of the term: its synonyms and, for a katakana word, its
   * pairs of characters.
   */
  readonly substitutes: ReadonlyMap<number, readonly Form[]>
  /** Sections with each term or synonym. */
  readonly sections: ReadonlyMap<number, number>
  /** The term of its script, which stands for no word; 0 for none. */
  readonly script: number
  /** Terms that an entry must have; `null` if the index does not have one of them. */
  readonly filters: readonly number[] | null
  /**
   * The query with words of the catalog in place of unknown ones; `null` if nothing was replaced.
   */
  readonly corrected: string | null
  /** Whether a word is in so few sections that it may be a misspelling. */
  readonly hasRare: boolean
  readonly totals: { readonly sections: number; readonly words: number }
}

export interface ResolveOptions {
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
  /**
   * Also replaces words that are in very few sections by similar ones that are in many. @default
   * false
   */
  readonly repairRare?: boolean
}

/** Words of a query that are looked for in other spellings. Each takes some hundred look-ups. */
const MAX_REPAIRED = 3
/** Sections of a word that may be a misspelling. */
const MAX_RARE = 2
/** Sections that the word must be in that replaces a rare one, for each section of that. */
const RARE_FACTOR = 10
/** What an entry with a synonym has of a word. */
const SYNONYM_SHARE = 0.6
/** What an entry with a katakana word in a longer one has of it. */
const PAIRS_SHARE = 1

/** Looks up the terms of a query, and replaces words that the catalog does not have. */
export async function resolveQuery(
  store: SearchStore,
  parsed: ParsedQuery,
  { repairRare = false, ...filter }: ResolveOptions = {},
): Promise<ResolvedQuery> {
  const totals = await store.readTotals()
  const filters = filterTerms(filter)
  const rows = await findRows(store, parsed, filters)
  const terms = new QueryTerms(rows, totals.sections, parsed.scope)
  const words: ResolvedWord[] = []
  const repairs = new Map<QueryWord, Repair>()
  let tried = 0
  for (const word of parsed.words) {
    const found = [...word.wholes.map((text) => [text]), word.parts].map((texts) =>
      texts.map((text) => rows.get(text)),
    )
    const complete = found.filter((form) => form.length > 0 && form.every((row) => row !== undefined))
    const least = tried < MAX_REPAIRED ? findLeast(word, complete, repairRare) : undefined
    if (least !== undefined) tried += 1
    const repair = least === undefined ? undefined : await repairWord(store, word.text, least)
    if (repair !== undefined) repairs.set(word, repair)
    const forms = repair === undefined && complete.length === 0 ? found : complete
    words.push(terms.addWord(word, repair === undefined ? forms : [...forms, repair.terms]))
  }
  for (const text of parsed.joined) terms.add(rows.get(text))
  return {
    words,
    ...terms.result(),
    script: rows.get(KANA_TERM)?.id ?? 0,
    filters: filters.every((text) => rows.has(text)) ? filters.map((text) => rows.get(text)!.id) : null,
    corrected: repairs.size === 0 ? null : correct(parsed.text, repairs),
    hasRare: words.some(({ sections }) => sections > 0 && sections <= MAX_RARE),
    totals,
  }
}

type FoundForm = readonly (TermRow | undefined)[]

class QueryTerms {
  readonly #rows: ReadonlyMap<string, TermRow>
  readonly #total: number
  readonly #scope: ReadingScope
  readonly #used = new Map<number, TermRow>()
  readonly #weights = new Map<number, number>()
  readonly #substitutes = new Map<number, Form[]>()

  constructor(rows: ReadonlyMap<string, TermRow>, total: number, scope: ReadingScope) {
    this.#rows = rows
    this.#total = total
    this.#scope = scope
  }

  /** Adds a word with the ways to write it that the index knows, at least in part. */
  addWord(word: QueryWord, found: readonly FoundForm[]): ResolvedWord {
    const known = found.filter((form) => form.some((row) => row !== undefined))
    const [first, pairs] = known
    const isKatakana = word.kind === 'katakana' && known.length === 2
    const own = isKatakana ? [first!] : known
    const forms = own.map((form) => ({
      terms: form.map((row) => this.add(row, shareOf(word, form))),
      share: 1,
    }))
    if (isKatakana)
      this.#substitute(first![0]!.id, { terms: pairs!.map((row) => this.#use(row)), share: PAIRS_SHARE })
    const others = forms.flatMap(({ terms }) =>
      terms.length === 1 ? (this.#substitutes.get(terms[0]!) ?? []) : [],
    )
    const counts = own.flat().flatMap((row) => row?.sections ?? [])
    const sections = counts.length === 0 ? 0 : Math.min(...counts)
    return { forms: [...forms, ...others], weight: weigh(sections, this.#total), sections }
  }

  /** Adds a term with its synonyms. Returns its number; 0 for none. */
  add(row: TermRow | undefined, share = 1): number {
    if (row === undefined) return 0
    const weight = share * weigh(row.sections, this.#total)
    const known = this.#weights.get(row.id)
    this.#weights.set(row.id, Math.max(known ?? 0, weight))
    if (known !== undefined) return row.id
    for (const text of listSynonyms(row.text, this.#scope)) {
      const other = this.#rows.get(text)
      if (other !== undefined) this.#substitute(row.id, { terms: [this.#use(other)], share: SYNONYM_SHARE })
    }
    return this.#use(row)
  }

  result(): Pick<ResolvedQuery, 'terms' | 'weights' | 'substitutes' | 'sections'> {
    const used = [...this.#used.values()]
    return {
      terms: new Map(used.map(({ id, text }) => [text, this.#weights.get(id) ?? SYNONYM_SHARE])),
      weights: this.#weights,
      substitutes: this.#substitutes,
      sections: new Map(used.map((row) => [row.id, row.sections])),
    }
  }

  #use(row: TermRow | undefined): number {
    if (row !== undefined) this.#used.set(row.id, row)
    return row?.id ?? 0
  }

  #substitute(term: number, form: Form): void {
    const forms = this.#substitutes.get(term)
    if (forms === undefined) this.#substitutes.set(term, [form])
    else forms.push(form)
  }
}

async function findRows(
  store: SearchStore,
  { words, joined, scope }: ParsedQuery,
  filters: readonly string[],
): Promise<ReadonlyMap<string, TermRow>> {
  const texts = [...words.flatMap(({ parts, wholes }) => [...parts, ...wholes]), ...joined]
  const wanted = new Set([...texts, ...texts.flatMap((text) => listSynonyms(text, scope)), ...filters])
  return new Map((await store.findTerms([...wanted])).map((row) => [row.text, row]))
}

/**
 * Returns the sections that a word in place of this one must be in; `undefined` if it is right as
 * it is.
 */
function findLeast(
  { kind }: QueryWord,
  complete: readonly FoundForm[],
  repairRare: boolean,
): number | undefined {
  if (kind !== 'word') return undefined
  if (complete.length === 0) return 0
  const sections = Math.max(...complete.flat().map((row) => row?.sections ?? 0))
  return repairRare && sections <= MAX_RARE ? RARE_FACTOR * sections : undefined
}

/**
 * Returns the share of its weight that each term of a form has. Of the pairs in a run of Han
 * characters every second one is a word, at most. The pairs of other runs weigh as much together as
 * two: a long word does not say more than a short one.
 */
function shareOf({ kind }: QueryWord, { length }: FoundForm): number {
  if (kind === 'word' || length < 2) return 1
  return kind === 'han' ? (length + 1) / (2 * length) : 2 / length
}

/**
 * Inverse document frequency as in BM25, flattened: with the plain one, a single rare word of a
 * question outweighs all others.
 */
function weigh(sections: number, total: number): number {
  return Math.log(1 + (total - Math.min(sections, total) + 0.5) / (sections + 0.5)) ** 0.56
}

function correct(text: string, repairs: ReadonlyMap<QueryWord, Repair>): string {
  let corrected = text
  for (const [{ start, end }, repair] of [...repairs].toReversed())
    corrected = corrected.slice(0, start) + repair.text + corrected.slice(end)
  return corrected
}
