import { deriveTerms, KANA_TERM, type ReadingScope, stemWord, type Term } from '../analysis/terms.ts'
import { filterTerms, nameTerm } from '../entries/describe-pack.ts'
import type { SearchStore, TermRow } from '../store.ts'
import type { ParsedQuery, QueryWord } from './parse-query.ts'
import { type Repair, repairWord } from './repair-word.ts'
import { listSynonyms } from '../thesaurus/list-synonyms.ts'

/** One way to write a word of a query. */
export interface Form {
  /** Numbers of terms that an entry must have; 0 for one that the index does not have. */
  readonly terms: readonly number[]
  /** How much of the word an entry with all terms covers: 1, or less for a synonym. */
  readonly share: number
}

/** A word of a query, with terms of the index. */
export interface ResolvedWord {
  /** The ways to write it that the index has; none if it does not have the word. */
  readonly forms: readonly Form[]
  /** How much it contributes to the score. */
  readonly weight: number
  /** Number of sections with its rarest term; 0 if the index does not have it. */
  readonly sections: number
  /** Whether it is searched in another spelling. Never for an identifier. */
  readonly isRepaired: boolean
  /** Whether it is an identifier that the index does not have as a whole. */
  readonly isMissing: boolean
}

/** A query, with terms of the index. */
export interface ResolvedQuery {
  readonly words: readonly ResolvedWord[]
  /** Weight of each term of the query and each synonym, by text. */
  readonly terms: ReadonlyMap<string, number>
  /** Weight of each term of the query, by number. */
  readonly weights: ReadonlyMap<number, number>
  /** By term number: synonyms and, for a katakana word, its pairs of characters. */
  readonly substitutes: ReadonlyMap<number, readonly Form[]>
  /** Number of sections with each term or synonym. */
  readonly sections: ReadonlyMap<number, number>
  /** The term for the query's script, which is not a word; 0 if none. */
  readonly script: number
  /** Terms that an entry must have; `null` if the index does not have one of them. */
  readonly filters: readonly number[] | null
  /** Terms of packs and of sections whose name may be the query. */
  readonly names: readonly number[]
  /** The query with unknown words replaced by words of the catalog; `null` if none was. */
  readonly corrected: string | null
  /** Each word as asked, and the word that is searched instead. */
  readonly repairs: readonly { readonly from: string; readonly to: string }[]
  /** Whether some word is in so few sections that it may be a misspelling. */
  readonly hasRare: boolean
  readonly totals: { readonly sections: number; readonly words: number }
}

export interface ResolveOptions {
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
  /** Replace even words in very few sections with similar ones in many. @default false */
  readonly repairRare?: boolean
}

/** Maximum number of words to try in other spellings. Each takes some hundred lookups. */
const MAX_REPAIRED = 3
/** A word in at most this many sections may be a misspelling. */
const MAX_RARE = 2
/** A replacement for a rare word must be in this many times as many sections. */
const RARE_FACTOR = 10
/** Has a digit, a connector or a capital inside. */
const IDENTIFIER = /[\p{N}_.:-]|.\p{Lu}/u
/** An identifier or a number with a point. Hyphens join common words too. */
const NAME = /^(?=.*\p{L}).*(?:[\p{N}_.:]|[^-]\p{Lu})|^\d+\.\d/u
/** What a repaired word weighs, so that the words that are right decide. */
const REPAIRED_WEIGHT = 0.5
/** Words of many questions that say little about a topic, and what they weigh. */
const WEAK_STEMS: ReadonlySet<string> = new Set(
  `add allow best change create different enable find first give good happen keep let make new one possible put run same set several
  show take thing two use way work write`
    .split(/\s+/)
    .map(stemWord),
)
const WEAK_WEIGHT = 0.5
/** How much of a word a synonym covers. */
const SYNONYM_SHARE = 0.6
/** How much of a katakana word its pairs of characters cover, such as those in a longer word. */
const PAIRS_SHARE = 1

/** Looks up the terms of a query, and replaces words that the catalog lacks. */
export async function resolveQuery(
  store: SearchStore,
  parsed: ParsedQuery,
  { repairRare = false, ...filter }: ResolveOptions = {},
): Promise<ResolvedQuery> {
  const totals = await store.readTotals()
  const filters = filterTerms(filter)
  const names = (['pack', 'section'] as const).map((kind) => nameTerm(kind, parsed.text))
  const identifiers = parsed.words.filter(({ text }) => NAME.test(text))
  const owns = new Map(identifiers.map((word) => [word, listOwnTerms(word, parsed.scope)]))
  const rows = await findRows(store, parsed, [...filters, ...names, ...[...owns.values()].flat(2)])
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
    const isRepaired = repair !== undefined && complete.length === 0 && !IDENTIFIER.test(word.text)
    const all = repair === undefined ? forms : [...forms, repair.terms]
    const weight = isRepaired
      ? REPAIRED_WEIGHT
      : word.parts.every((term) => WEAK_STEMS.has(term))
        ? WEAK_WEIGHT
        : 1
    const isMissing = owns.get(word)?.some((texts) => texts.every((text) => rows.has(text))) === false
    words.push({ ...terms.addWord(word, all, weight), isRepaired, isMissing })
  }
  for (const text of parsed.joined) terms.add(rows.get(text))
  return {
    words,
    ...terms.result(),
    script: rows.get(KANA_TERM)?.id ?? 0,
    filters: filters.every((text) => rows.has(text)) ? filters.map((text) => rows.get(text)!.id) : null,
    names: names.flatMap((text) => rows.get(text)?.id ?? []),
    corrected: repairs.size === 0 ? null : correct(parsed.text, repairs),
    repairs: Array.from(repairs, ([{ text: from }, { text: to }]) => ({ from, to })),
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

  /** Adds a word with the ways to write it that the index has, at least in part. */
  addWord(
    word: QueryWord,
    found: readonly FoundForm[],
    share: number,
  ): Omit<ResolvedWord, 'isRepaired' | 'isMissing'> {
    const known = found.filter((form) => form.some((row) => row !== undefined))
    const [first, pairs] = known
    const isKatakana = word.kind === 'katakana' && known.length === 2
    const own = isKatakana ? [first!] : known
    const forms = own.map((form) => ({
      terms: form.map((row) => this.add(row, share * shareOf(word, form))),
      share: 1,
    }))
    if (isKatakana)
      this.#substitute(first![0]!.id, { terms: pairs!.map((row) => this.#use(row)), share: PAIRS_SHARE })
    const others = forms.flatMap(({ terms }) =>
      terms.length === 1 ? (this.#substitutes.get(terms[0]!) ?? []) : [],
    )
    const counts = own.flat().flatMap((row) => row?.sections ?? [])
    const sections = counts.length === 0 ? 0 : Math.min(...counts)
    return { forms: [...forms, ...others], weight: share * weigh(sections, this.#total), sections }
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

/** Lists the ways to have an identifier, as terms: as a whole, or its member and what has that. */
function listOwnTerms({ text, kind }: QueryWord, scope: ReadingScope): readonly (readonly string[])[] {
  const read = (one: string): readonly Term[] => deriveTerms({ text: one, kind }, scope).slice(-1)
  const segments = text.split(/[.:]+/).flatMap(read)
  const last = segments.findLastIndex(({ role }) => role === 'whole')
  return [read(text), last < 0 ? read(text) : segments.slice(last)].map((all) => all.map((one) => one.text))
}

async function findRows(
  store: SearchStore,
  { words, joined, scope }: ParsedQuery,
  others: readonly string[],
): Promise<ReadonlyMap<string, TermRow>> {
  const texts = [...words.flatMap(({ parts, wholes }) => [...parts, ...wholes]), ...joined]
  const wanted = new Set([...texts, ...texts.flatMap((text) => listSynonyms(text, scope)), ...others])
  return new Map((await store.findTerms([...wanted])).map((row) => [row.text, row]))
}

/** How many sections a replacement must be in; `undefined` if the word is right. */
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
 * Share of its weight that each term of a form counts. In a run of Han characters at most every
 * second pair is a word. Other pairs together weigh as much as two: long words say no more.
 */
function shareOf({ kind }: QueryWord, { length }: FoundForm): number {
  if (kind === 'word' || length < 2) return 1
  return kind === 'han' ? (length + 1) / (2 * length) : 2 / length
}

/** As in BM25, flattened: otherwise a single rare word would outweigh all others. */
function weigh(sections: number, total: number): number {
  return Math.log(1 + (total - Math.min(sections, total) + 0.5) / (sections + 0.5)) ** 0.56
}

/**
 * A word of the catalog may occur only beyond previews, so readers of previews see a correction
 * only if the results that they see have it.
 * @param shown texts of the results
 */
export function showCorrection(
  { corrected, repairs }: Pick<ResolvedQuery, 'corrected' | 'repairs'>,
  scope: ReadingScope,
  shown: readonly (string | null)[],
): string | null {
  if (corrected === null || scope === 'full') return corrected
  const text = shown.join('\n').toLowerCase()
  return repairs.every(({ to }) => text.includes(to.toLowerCase())) ? corrected : null
}

function correct(text: string, repairs: ReadonlyMap<QueryWord, Repair>): string {
  let corrected = text
  for (const [{ start, end }, repair] of [...repairs].toReversed())
    corrected = corrected.slice(0, start) + repair.text + corrected.slice(end)
  return corrected
}
