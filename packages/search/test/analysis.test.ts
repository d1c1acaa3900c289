import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visitWords } from '../src/analysis/terms.ts'
import { deriveTerms, isStopTerm, type ReadingScope } from '../src/analysis/terms.ts'
import { countEdits } from '@packs/codec/internal'
import { listVariants } from '../src/query/repair-word.ts'
import { listSynonyms } from '../src/thesaurus/list-synonyms.ts'

function readTerms(text: string, scope: ReadingScope = 'full'): string[] {
  const terms: string[] = []
  visitWords(text, (word) => terms.push(...deriveTerms(word, scope).map((term) => term.text)))
  return terms
}

describe('terms', () => {
  it.each([
    ['strictNullChecks', ['strict', 'null', 'check', 'strictnullcheck']],
    ['--no-cache', ['no', 'cach', 'nocach']],
    ['app.whenReady()', ['app', 'when', 'readi', 'whenreadi', 'appwhenreadi']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['SOME_ENV', ['some', 'env', 'someenv']],
    ['1.28', ['1', '28', '1.28']],
    ['C++ and C#', ['c++', 'and', 'c#']],
    ['Naïve Ｆｕｌｌ', ['naiv', 'full']],
    ["user's", ['user']],
    ['サーバー', ['~サー', '~ーバ', '~サーバ']],
    ['ｻｰﾊﾞ', ['~サー', '~ーバ', '~サーバ']],
    ['統計学', ['~統', '~計', '~学', '~統計', '~計学']],
    ['値を使う', ['~値', '~を', '~使', '~う']],
    ['한국어', ['~한국', '~국어']],
  ])('of %s', (text, expected) => {
    expect(readTerms(text)).toEqual(expected)
  })

  it.each([
    ['strictNullChecks', ['strict', 'null', 'check', 'strictnullcheck']],
    ['サーバー', ['サーバ']],
    ['垃圾回收', ['垃圾', '回收']],
    ['データベースサーバー', ['データベース', 'サーバ']],
    ['한국어 서버', ['한국어', '서버']],
    ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
  ])('of %s, for a reader of the preview, are whole words', (text, expected) => {
    expect(readTerms(text, 'preview')).toEqual(expected)
  })

  it('are bounded for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const term of [...readTerms(text), ...readTerms(text, 'preview')])
          expect(term.length).toBeLessThanOrEqual(40)
      }),
    )
  })

  it.each(['x', 'a.', '漢', 'カ', 'ひ'])('can be found in millions of %s without a space', (text) => {
    const long = text.repeat(8_000_000)
    let length = 0
    visitWords(long, (word) => (length += word.text.replaceAll('.', '').length))
    expect(length).toBe(8_000_000)
  })

  it('keep the position of each word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        let last = 0
        visitWords(text, ({ text: word, start, end }) => {
          expect(text.slice(start, end)).toBe(word)
          expect(start).toBeGreaterThanOrEqual(last)
          last = end
        })
      }),
    )
  })

  it('of words that say little are known by their stems too', () => {
    expect(['the', 'doing', 'thi', 'your'].map(isStopTerm)).toEqual([true, true, true, true])
    expect(isStopTerm('redi')).toBe(false)
  })
})

describe('variants of a word', () => {
  it('differ in one edit, and each such word is one', () => {
    const words = new Set(listVariants('cache').map(({ word }) => word))
    for (const word of ['cach', 'acche', 'cachet', 'cathe', 'xcache']) expect(words).toContain(word)
    for (const word of words) expect(countEdits('cache', word, 2)).toBe(1)
    expect(words).not.toContain('cache')
  })

  it('use the letters of the script', () => {
    expect(listVariants('привет').map(({ word }) => word)).toContain('приветы')
    expect(listVariants('λογοι').map(({ word }) => word)).toContain('λογοσ')
    expect(listVariants('語').map(({ word }) => word)).toEqual([])
  })
})

describe('countEdits', () => {
  it.each([
    ['kitten', 'sitting', 3, 3],
    ['kitten', 'sitting', 2, 3],
    ['abcd', 'bacd', 2, 1],
    ['', 'ab', 2, 2],
    ['same', 'same', 1, 0],
  ])('between %s and %s, at most %i', (a, b, limit, expected) => {
    expect(countEdits(a, b, limit)).toBe(expected)
  })
})

describe('synonyms', () => {
  it('are found by stems, in both directions', () => {
    expect(listSynonyms('repositori', 'full')).toContain('repo')
    expect(listSynonyms('repo', 'full')).toContain('repositori')
    expect(listSynonyms('nothing-of-the-kind', 'full')).toEqual([])
  })
})
