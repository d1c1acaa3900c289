import { mergeWords } from '@packs/search'
import { sql } from 'kysely'
import { cleanText, type Queries, type SearchTermTable } from '../database/database.ts'
import { item, type IndexTables } from './create-index-tables.ts'

type Term = { -readonly [Key in keyof SearchTermTable]: SearchTermTable[Key] } & { isChanged: boolean }

/** The rows of the terms of a batch: read together, changed in memory and written together. */
export class TermNumbers {
  readonly #transaction: Queries
  readonly #tables: IndexTables
  readonly #byText = new Map<string, Term>()
  readonly #byId = new Map<number, Term>()
  next: number

  constructor(transaction: Queries, tables: IndexTables, next: number) {
    this.#transaction = transaction
    this.#tables = tables
    this.next = next
  }

  async readIds(ids: readonly number[]): Promise<void> {
    await this.#read(
      ids.filter((id) => !this.#byId.has(id)),
      sql`t.id = ${item.integer(0)}`,
    )
  }

  async readTexts(texts: readonly string[]): Promise<void> {
    await this.#read(
      texts.filter((text) => !this.#byText.has(text)),
      sql`t.term = ${item.text(0)}`,
    )
  }

  /** Returns the number of a term, which is new if its row was not read. */
  numberOf(text: string): number {
    let term = this.#byText.get(text)
    if (term === undefined) {
      term = { id: this.next++, term: text, word: '', sections: 0, entries: 0, isChanged: true }
      this.#keep(term)
    }
    return term.id
  }

  addWords(id: number, words: string): void {
    const term = this.#byId.get(id)
    const merged = term && mergeWords(term.word, words)
    if (term === undefined || merged === term.word) return
    term.word = merged!
    term.isChanged = true
  }

  add(id: number, { sections, entries }: Pick<Term, 'sections' | 'entries'>): void {
    const term = this.#byId.get(id)
    if (term === undefined) return
    term.sections = Math.max(0, term.sections + sections)
    term.entries = Math.max(0, term.entries + entries)
    term.isChanged = true
  }

  /** Filters are never counted, and never removed. */
  keepFilter(id: number): void {
    const term = this.#byId.get(id)
    if (term === undefined || term.entries > 0) return
    term.entries = 1
    term.isChanged = true
  }

  async write(): Promise<void> {
    const changed = [...this.#byId.values()].filter(({ isChanged }) => isChanged)
    if (changed.length === 0) return
    const lists = changed.map(({ id, term, word, sections, entries }) => [id, term, word, sections, entries])
    await sql`insert into search_terms (id, term, word, sections, entries)
      select ${item.integer(0)}, ${item.text(1)}, ${item.text(2)}, ${item.integer(3)}, ${item.integer(4)}
      from ${this.#tables.rows(lists)} where true
      on conflict (id) do update set word = excluded.word, sections = excluded.sections, entries = excluded.entries`.execute(
      this.#transaction,
    )
    for (const term of changed) term.isChanged = false
  }

  async #read(keys: readonly unknown[], isSame: ReturnType<typeof sql>): Promise<void> {
    if (keys.length === 0) return
    const { rows } = await sql<SearchTermTable>`select t.id, t.term, t.word, t.sections, t.entries
      from ${this.#tables.rows(keys.map((key) => [key]))} cross join search_terms t where ${isSame}`.execute(
      this.#transaction,
    )
    for (const row of rows) this.#keep({ ...row, isChanged: false })
  }

  #keep(term: Term): void {
    this.#byText.set(term.term, term)
    this.#byId.set(term.id, term)
  }
}

export async function readTerms(
  queries: Queries,
  tables: IndexTables,
  texts: readonly string[],
): Promise<readonly SearchTermTable[]> {
  const { rows } = await sql<SearchTermTable>`select t.id, t.term, t.word, t.sections, t.entries
    from ${tables.rows(texts.map((text) => [cleanText(text)]))} cross join search_terms t
    where t.term = ${item.text(0)} and t.entries > 0 order by t.id`.execute(queries)
  return rows
}
