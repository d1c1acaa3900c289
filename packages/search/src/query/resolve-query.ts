import { countEdits } from '@packs/codec/internal'
import { foldWord, KANA_TERM, type ReadingScope, stemWord } from '../analysis/terms.ts'
import { filterTerms } from '../entries/describe-pack.ts'
import type { SearchStore, TermRow } from '../store.ts'
import type { ParsedQuery, QueryWord } from './parse-query.ts'
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
    const isRepaired = repair !== undefined && complete.length === 0 && !IDENTIFIER.test(word.text)
    const added = terms.addWord(word, repair === undefined ? forms : [...forms, repair.terms])
    words.push({ ...added, isRepaired })
  }
  for (const text of parsed.joined) terms.add(rows.get(text))
  return {
    words,
    ...terms.result(),
    script: rows.get(KANA_TERM)?.id ?? 0,
    filters: filters.every((text) => rows.has(text)) ? filters.map((text) => rows.get(text)!.id) : null,
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
  addWord(word: QueryWord, found: readonly FoundForm[]): Omit<ResolvedWord, 'isRepaired'> {
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

/** A replacement for a word that the catalog lacks. */
interface Repair {
  /** The text to show: one word, or two that were written as one. */
  readonly text: string
  readonly terms: readonly TermRow[]
}

/** Shorter words resemble too many others. */
const MIN_LENGTH = 4
/** Words of this length may be repaired with two edits, if the first two letters are right. */
const MIN_LENGTH_OF_TWO = 7
/** Shortest part when a word is split in two. */
const MIN_PART = 3
/** Maximum number of words with the same prefix to compare. */
const MAX_COMPARED = 2000
/** Longest word to repair. */
const MAX_LENGTH = 32

/**
 * The most used word that is one edit away, or two words written as one, or, for a long word, the
 * most used one within two edits.
 * @param least How many sections a repaired word must be in.
 */
async function repairWord(store: SearchStore, text: string, least = 0): Promise<Repair | undefined> {
  const word = foldWord(text)
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^[\p{L}\p{N}]+$/u.test(word)) return undefined
  if (/^\p{N}+$/u.test(word)) return undefined
  return (
    (await repairOne(store, word, least)) ??
    (least > 0 ? undefined : ((await repairSpace(store, word)) ?? (await repairTwo(store, word))))
  )
}

async function repairOne(store: SearchStore, word: string, least: number): Promise<Repair | undefined> {
  // The first letter may be missing, extra or swapped, but it is hardly ever wrong.
  const likely = listVariants(word).filter(
    (variant) => word[0] === variant.word[0] || word.slice(1) !== variant.word.slice(1),
  )
  const variants = Map.groupBy(likely, ({ term }) => term)
  const rows = await store.findTerms([...variants.keys()])
  const known = rows.filter(({ sections }) => sections >= least)
  const best = known.toSorted((a, b) => rate(b) - rate(a) || compare(a.text, b.text))[0]
  if (best === undefined) return undefined
  // The catalog keeps one word per stem. A different form is shown only if there is no doubt which.
  const words = variants.get(best.text) ?? []
  return { text: words.length === 1 ? words[0]!.word : best.word, terms: [best] }

  /** A doubled letter too many or too few is the most frequent mistake. */
  function rate({ sections, text }: TermRow): number {
    const isDoubled = variants.get(text)?.some((variant) => reduce(variant.word) === reduce(word))
    return (sections + 1) * (isDoubled === true ? 8 : 1)
  }
}

function reduce(word: string): string {
  return word.replace(/(.)\1+/gu, '$1')
}

async function repairSpace(store: SearchStore, word: string): Promise<Repair | undefined> {
  const splits: (readonly [string, string])[] = []
  for (let at = MIN_PART; at + MIN_PART <= word.length; at++) splits.push([word.slice(0, at), word.slice(at)])
  const rows = await store.findTerms([...new Set(splits.flat().map(stemWord))])
  const found = new Map(rows.map((row) => [row.text, row]))
  let best: Repair | undefined
  let most = 0
  for (const parts of splits) {
    const terms = parts.flatMap((part) => found.get(stemWord(part)) ?? [])
    const least = Math.min(...terms.map(({ sections }) => sections))
    if (terms.length < 2 || least <= most || terms.some((row, index) => row.word !== parts[index])) continue
    most = least
    best = { text: parts.join(' '), terms }
  }
  return best
}

async function repairTwo(store: SearchStore, word: string): Promise<Repair | undefined> {
  if (word.length < MIN_LENGTH_OF_TWO) return undefined
  const rows = await store.listTerms(word.slice(0, 2), MAX_COMPARED)
  const near = rows.filter((row) => countEdits(word, row.word, 2) <= 2)
  const best = near.toSorted((a, b) => b.sections - a.sections || compare(a.text, b.text))[0]
  return best && { text: best.word, terms: [best] }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Letters to insert or substitute in a word, by script. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[\p{sc=Latn}\p{N}]+$/v, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[\p{sc=Cyrl}\p{N}]+$/v, 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'],
  [/^[\p{sc=Grek}\p{N}]+$/v, 'αβγδεζηθικλμνξοπρστυφχψω'],
]

interface Variant {
  readonly word: string
  /** The word's term. */
  readonly term: string
}

/**
 * Words one edit away (Damerau, "A technique for computer detection and correction of spelling
 * errors", 1964).
 * @param word Folded, at most 32 UTF-16 units.
 */
export function listVariants(word: string): Variant[] {
  const alphabet = ALPHABETS.find(([script]) => script.test(word))?.[1] ?? ''
  const variants = new Set<string>()
  for (let at = 0; at + 1 < word.length; at++)
    variants.add(word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2))
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) variants.add(before + letter + after)
    if (after === '') continue
    variants.add(before + after.slice(1))
    for (const letter of alphabet) variants.add(before + letter + after.slice(1))
  }
  variants.delete(word)
  variants.delete('')
  return [...variants].map((variant) => ({ word: variant, term: stemWord(variant) }))
}
