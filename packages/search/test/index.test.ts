import { loadTokenizer } from '@packs/codec/compress'
import { splitSections } from '@packs/codec/internal'
import { buildPack, parseSource } from '@packs/codec/pack'
import {
  composeContext,
  describePack,
  encodeVector,
  type EntryRow,
  indexTexts,
  isFullTerm,
  isSectionTerm,
  listKeyTerms,
  mergeWords,
  openIndex,
  search,
  type SearchQuery,
  type SearchStore,
  type TermRow,
  type TextPack,
} from '@packs/search'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { measure } from './make-store.ts'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { examplePacks } from '../../test-kit/test/example-packs.ts'

const TEXTS = [
  ...examplePacks.map(({ text }) => text),
  '# 缓存\n\n缓存保存最近使用的数据。\n\n## 过期\n\n键在超时以后会被删除。𠮷野家。\n',
  '# サーバー\n\nキーの有効期限を設定します。\n\n## メモリ\n\nデータはメモリに保存されます。\n',
  'Before the first heading.\n',
]
await loadTokenizer('o200k_base')
const packs = await Promise.all(
  TEXTS.map(async (text, number): Promise<TextPack> => {
    const { source } = parseSource(text, { path: `page-${number}.md` })
    const { pack } = await buildPack(source!, { scheme: 'none' })
    return { pack: pack!, body: pack!.content }
  }),
)
const plain = createPlainStore(packs)

/** A store that compares every term and entry with what is asked for, to show what an index must answer. */
function createPlainStore(texts: readonly TextPack[]): SearchStore {
  const terms = new Map<string, { -readonly [Key in keyof TermRow]: TermRow[Key] }>()
  const entries: (EntryRow & { readonly has: ReadonlySet<number> })[] = []
  const totals = { sections: 0, words: 0 }
  const number = (text: string, words: string): number => {
    const row = terms.get(text) ?? { id: terms.size + 1, text, words, sections: 0 }
    row.words = mergeWords(row.words, words)
    terms.set(text, row)
    return row.id
  }
  for (const [pack, { pack: document, body }] of texts.entries()) {
    const sections = splitSections(body).map((section) => ({ ...section, tokens: 0 }))
    const { entries: described, words } = describePack(document, body, sections)
    for (const { filters } of described) for (const text of filters) number(text, '')
    for (const { ordinal, tokens, length, terms: found, filters } of described) {
      const ids = filters.map((text) => number(text, ''))
      const occurrences = new Map([...found].map(([text, one]) => [number(text, words.get(text) ?? ''), one]))
      for (const [text, one] of found) if (ordinal >= 0 && isSectionTerm(one)) terms.get(text)!.sections++
      const keys = listKeyTerms(found, isFullTerm).map((text) => -terms.get(text)!.id)
      const has = new Set([...ids, ...occurrences.keys(), ...keys])
      entries.push({ pack, ordinal, tokens, vector: encodeVector({ length, occurrences }), has })
      if (ordinal >= 0) totals.sections++
      if (ordinal >= 0) totals.words += length
    }
  }
  const rows = [...terms.values()].toSorted((a, b) => (a.text < b.text ? -1 : 1))
  const show = ({ has: _has, ...row }: (typeof entries)[number]): EntryRow => row
  return {
    // The packs of the results are those of the index, which are compared with the documents below.
    ...openIndex(indexTexts(texts)).store,
    readTotals: () => Promise.resolve(totals),
    findTerms: (wanted) => Promise.resolve(wanted.flatMap((text) => terms.get(text) ?? [])),
    listTerms(prefix, limit) {
      const found = rows.filter(({ text }) => text.startsWith(prefix))
      return Promise.resolve(found.toSorted((a, b) => b.sections - a.sections).slice(0, limit))
    },
    findEntries({ any, filters, maxTokens = Infinity, limit }) {
      const found = entries.filter(
        ({ has, tokens }) =>
          tokens <= maxTokens && any.some((all) => [...all, ...filters].every((term) => has.has(term))),
      )
      return Promise.resolve(found.toReversed().slice(0, limit).map(show))
    },
    readEntries: (numbers, limit) =>
      Promise.resolve(
        numbers.flatMap((wanted) =>
          entries
            .filter(({ pack }) => pack === wanted)
            .slice(0, limit)
            .map(show),
        ),
      ),
  }
}

describe('an index of texts', () => {
  it('answers random queries as a store that reads everything', async () => {
    const index = openIndex(indexTexts(packs))
    const words = TEXTS.flatMap((text) => text.match(/\p{sc=Latin}+|[\p{sc=Han}\p{sc=Kana}]{1,4}/gu) ?? [])
    const word = fc.constantFrom(...words)
    const misspelled = word.map((text) => text.slice(0, 2) + text.slice(3))
    const phrase = fc
      .constantFrom(...TEXTS.flatMap((text) => text.match(/[a-z]+ [a-z]+/g) ?? []))
      .map((text) => `"${text}"`)
    const query = fc
      .array(fc.oneof({ weight: 4, arbitrary: word }, misspelled, phrase), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(' ').slice(0, 300))
      .filter((text) => (text.match(/"/g) ?? []).length % 2 === 0)
    const filters = fc.record(
      {
        domain: fc.constantFrom(...new Set(packs.map(({ pack }) => pack.domain_slug)), 'none'),
        difficulty: fc.constantFrom('beginner', 'intermediate'),
        maxTokens: fc.constantFrom(0, 1000),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(query, filters, async (text, chosen) => {
        const options: SearchQuery = { text, limit: 10, offset: 0, scope: 'full', ...chosen }
        const found = await search(index.store, index.texts, options)
        expect(found).toEqual(await search(plain, index.texts, options))
        const budget = { budget: 600, measure, scope: 'full', domain: chosen.domain } as const
        const context = await composeContext(text, budget, index.store, index.texts)
        expect(context).toEqual(await composeContext(text, budget, plain, index.texts))
      }),
      { numRuns: countRuns(60) },
    )
  })

  it('has each term, and those with a prefix in the same order', async () => {
    const { store } = openIndex(indexTexts(packs))
    const all = await plain.listTerms('', Infinity)
    expect(all.length).toBeGreaterThan(2000)
    expect(await store.listTerms('', Infinity)).toEqual(all)
    expect(await store.findTerms(['', 'zzzz', ...all.map(({ text }) => text)])).toEqual(all)
    for (const prefix of ['co', 's', '缓', 'domain:', '\u{10FFFF}'])
      expect(await store.listTerms(prefix, 5)).toEqual(await plain.listTerms(prefix, 5))
  })

  it('has the packs with their sections and texts, wherever it is in memory', async () => {
    const written = indexTexts(packs)
    const moved = new Uint8Array(written.length + 1)
    moved.set(written, 1)
    const { store, texts, readPack, readText } = openIndex(moved.subarray(1))
    const numbers = packs.map((_, number) => number)
    expect(await store.readPacks([...numbers, 99])).toEqual(numbers.map(readPack))
    for (const [number, { pack, body }] of packs.entries()) {
      const { number: own, sequence, sections, ...facts } = readPack(number)
      expect(pack).toMatchObject(facts)
      expect([own, sequence, readText(number).text]).toEqual([number, number, body])
      expect(sections).toEqual(
        splitSections(body).map(({ level: _level, subtreeEnd: _end, ...section }) => {
          return { ...section, tokens: 0 }
        }),
      )
      const read = await texts.read(readPack(number), [sections.length - 1], 'full')
      const { links = [], slug } = pack
      const text = body.slice(sections.at(-1)!.start)
      expect(read).toEqual(
        new Map([[sections.length - 1, { text, links, page: slug, dialect: pack.minify?.dialect }]]),
      )
    }
    expect(await store.findPacks([packs[1]!.pack.slug, packs[3]!.pack.id, 'none'])).toEqual([1, 3])
  })

  it('may have no packs', async () => {
    const { store, texts } = openIndex(indexTexts([]))
    const page = await search(store, texts, { text: 'cache', limit: 5, offset: 0, scope: 'full' })
    expect(page).toEqual({ hits: [], total: 0, corrected: null })
  })
})
