import type { LinkedText } from '@packs/codec/internal'
import type { EntryRow, SearchStore, TermRow, TextReader } from './store.ts'
import { matchText } from './text/match-text.ts'
import { type IndexedText, SIZES } from './write-index.ts'

/** An index of packs with their texts, for readers who may see all of them. */
export interface TextIndex {
  readonly store: SearchStore
  readonly texts: TextReader
  /** Returns a pack by its number. */
  readonly readPack: (number: number) => IndexedText
  /** Returns the text of a pack, with its links. */
  readonly readText: (number: number) => LinkedText
}

/** Opens what `writeIndex` wrote, and nothing else. A query reads only the parts that it needs. */
export function openIndex(bytes: Uint8Array): TextIndex {
  const opened = openTables(bytes)
  const { read } = opened
  const { entries, packs } = opened.tables
  const { findTerm, listTerms, readList } = openTerms(opened)
  const rows = new Map(Array.from({ length: packs.count }, (_, row) => [packs.get(row, 0), row]))
  const known = new Map<number, IndexedText>()

  const readEntry = (row: number): EntryRow => ({
    pack: entries.get(row, 0),
    ordinal: entries.get(row, 1) - 1,
    tokens: entries.get(row, 2),
    vector: read(entries.get(row, 3)).bytes(),
  })
  const readRow = (row: number): IndexedText => {
    const pack = known.get(row) ?? (JSON.parse(read(packs.get(row, 3)).text()) as IndexedText)
    known.set(row, pack)
    return pack
  }
  const readPack = (number: number): IndexedText => readRow(rows.get(number)!)
  const readText = (number: number): LinkedText => {
    const from = read(packs.get(rows.get(number)!, 3))
    from.bytes()
    return { text: from.text(), ...(JSON.parse(from.text()) as Omit<LinkedText, 'text'>) }
  }
  const listRows = (numbers: readonly number[]): number[] =>
    numbers.flatMap((number) => rows.get(number) ?? [])
  return {
    readPack,
    readText,
    store: {
      readTotals: () => Promise.resolve(opened.totals),
      findTerms: (texts) => Promise.resolve(texts.flatMap((text) => findTerm(text) ?? [])),
      listTerms: (prefix, limit) =>
        Promise.resolve(
          listTerms(prefix)
            .toSorted((a, b) => b.sections - a.sections)
            .slice(0, limit),
        ),
      findEntries({ any, filters, maxTokens = Infinity, limit }) {
        const matched = new Set<number>()
        for (const all of any)
          for (const entry of intersect([...all, ...filters].map(readList))) matched.add(entry)
        const found = [...matched].toSorted((a, b) => b - a).map(readEntry)
        return Promise.resolve(found.filter(({ tokens }) => tokens <= maxTokens).slice(0, limit))
      },
      readEntries(numbers, limit) {
        const found = listRows(numbers).flatMap((row) =>
          Array.from({ length: Math.min(limit, packs.get(row, 2)) }, (_, at) =>
            readEntry(packs.get(row, 1) + at),
          ),
        )
        return Promise.resolve(found)
      },
      readPacks: (numbers) => Promise.resolve(listRows(numbers).map(readRow)),
      findPacks(names) {
        const named = Array.from(rows.values(), readRow).filter(
          ({ slug, id }) => names.includes(slug) || names.includes(id),
        )
        return Promise.resolve(named.map(({ number }) => number))
      },
    },
    texts: {
      match({ number }, request) {
        const { text } = readText(number)
        const { length } = text
        const slice = (start: number, end: number): string => text.slice(start, end)
        return Promise.resolve(matchText({ ...readPack(number), slice, length, visible: length }, request))
      },
      read({ number }, ordinals) {
        const { text, ...linked } = readText(number)
        const { sections } = readPack(number)
        const slice = ({ start, end }: IndexedText['sections'][number]): LinkedText => {
          return { text: text.slice(start, end), ...linked }
        }
        return Promise.resolve(new Map(ordinals.map((ordinal) => [ordinal, slice(sections[ordinal]!)])))
      },
    },
  }
}

interface Terms {
  readonly findTerm: (text: string) => TermRow | undefined
  /** Returns the terms that start with a prefix, in the order of their texts. */
  readonly listTerms: (prefix: string) => TermRow[]
  /** @param term its number, negative for the entries that have it as a key term */
  readonly readList: (term: number) => readonly number[]
}

function openTerms({ tables: { terms, rows }, read }: OpenTables): Terms {
  const readTerm = (row: number): TermRow => {
    const from = read(terms.get(row, 2))
    return { id: terms.get(row, 0), text: from.text(), words: from.text(), sections: terms.get(row, 1) }
  }
  /** Returns the first row whose text is not before this one. */
  const findRow = (text: string): number => {
    let [low, high] = [0, terms.count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (read(terms.get(middle, 2)).text() < text) low = middle + 1
      else high = middle
    }
    return low
  }
  const findTerm = (text: string): TermRow | undefined => {
    const row = findRow(text)
    const found = row < terms.count ? readTerm(row) : undefined
    return found?.text === text ? found : undefined
  }
  const readList = (term: number): readonly number[] => {
    const number = Math.abs(term) - 1
    if (number < 0 || number >= rows.count) return []
    const from = read(terms.get(rows.get(number, 0), 2))
    from.bytes()
    from.bytes()
    const list = from.list()
    return term < 0 ? from.list() : list
  }
  const listTerms = (prefix: string): TermRow[] => {
    const found: TermRow[] = []
    for (let row = findRow(prefix); row < terms.count; row++) {
      const term = readTerm(row)
      if (!term.text.startsWith(prefix)) break
      found.push(term)
    }
    return found
  }
  return { findTerm, listTerms, readList }
}

/** Returns the numbers that are in all lists, in order. */
function intersect(lists: readonly (readonly number[])[]): readonly number[] {
  const [shortest = [], ...others] = lists.toSorted((a, b) => a.length - b.length)
  return others.reduce<readonly number[]>(intersectSorted, shortest)
}

/** @param a The shorter list. */
function intersectSorted(a: readonly number[], b: readonly number[]): readonly number[] {
  const both: number[] = []
  let low = 0
  for (const value of a) {
    let high = b.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (b[middle]! < value) low = middle + 1
      else high = middle
    }
    if (b[low] === value) both.push(value)
  }
  return both
}

interface Table {
  readonly count: number
  readonly get: (row: number, column: number) => number
}

/** What follows at a place in the data. Each call reads the next. */
interface DataReader {
  readonly bytes: () => Uint8Array
  readonly text: () => string
  readonly list: () => readonly number[]
}

interface OpenTables {
  readonly totals: { readonly sections: number; readonly words: number }
  readonly tables: Readonly<Record<'terms' | 'rows' | 'entries' | 'packs', Table>>
  readonly read: (offset: number) => DataReader
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function openTables(bytes: Uint8Array): OpenTables {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const getNumber = (at: number): number => view.getUint32(4 * at, true)
  let start: number = SIZES.header
  const openTable = (count: number, columns: number): Table => {
    const first = start
    start += count * columns
    return { count, get: (row, column) => getNumber(first + row * columns + column) }
  }
  const terms = openTable(getNumber(2), SIZES.terms)
  const rows = openTable(terms.count, 1)
  const entries = openTable(getNumber(3), SIZES.entries)
  const packs = openTable(getNumber(4), SIZES.packs)
  const data = bytes.subarray(4 * start)

  const read = (offset: number): DataReader => {
    let at = offset
    const readNumber = (): number => {
      let number = 0
      for (let shift = 0; ; shift += 7) {
        const byte = data[at++]!
        number |= (byte & 127) << shift
        if (byte < 128) return number
      }
    }
    const readBytes = (): Uint8Array => {
      const length = readNumber()
      at += length
      return data.subarray(at - length, at)
    }
    return {
      bytes: readBytes,
      text: () => decoder.decode(readBytes()),
      list() {
        let entry = 0
        return Array.from({ length: readNumber() }, () => (entry += readNumber()))
      },
    }
  }
  const totals = { sections: getNumber(0), words: getNumber(1) }
  return { totals, tables: { terms, rows, entries, packs }, read }
}
