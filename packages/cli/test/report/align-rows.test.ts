import { decode } from '@packs/codec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOccurrences } from '@packs/codec/theme'
import { alignRows, countTokensBySpan } from '../../src/report/report-model.ts'

interface Texts {
  readonly source: string
  readonly content: string
}

const ENTRIES = [
  { term: 'AB', expansion: 'alpha' },
  { term: '§', expansion: ' beta\n' },
  { term: '日', expansion: 'x'.repeat(1500) },
]
const LENGTHS = [5, 6, 1500]

function align(content: string): Texts[] {
  const source = decode(content, { entries: ENTRIES })
  return alignRows(content, findOccurrences(content, ENTRIES), LENGTHS).map((row) => ({
    source: source.slice(row.source.from, row.source.to),
    content: content.slice(row.content.from, row.content.to),
  }))
}

describe('alignRows', () => {
  it('ends a row at each line end that is in both texts', () => {
    expect(align('one AB\n\nAB§two§\nthree')).toEqual([
      { content: 'one AB\n', source: 'one alpha\n' },
      { content: '\n', source: '\n' },
      { content: 'AB§two§\n', source: 'alpha beta\ntwo beta\n\n' },
      { content: 'three', source: 'three' },
    ])
  })

  it('returns the offsets of entries on both sides', () => {
    const content = 'x AB\n§'
    const rows = alignRows(content, findOccurrences(content, ENTRIES), LENGTHS)
    expect(rows.map(({ source }) => source.marks)).toEqual([
      [{ entry: 0, from: 2, to: 7 }],
      [{ entry: 1, from: 8, to: 14 }],
    ])
    expect(rows.map((row) => row.content.marks)).toEqual([
      [{ entry: 0, from: 2, to: 4 }],
      [{ entry: 1, from: 5, to: 6 }],
    ])
  })

  it('cuts a text without line ends, after a space if there is one', () => {
    const lengths = align(`${'a'.repeat(2010)} ${'b'.repeat(2000)}${'🙂'.repeat(1500)}`).map(
      (row) => row.content.length,
    )
    expect(lengths).toEqual([2011, 2000, 2000, 1000])
  })

  it('cuts between occurrences with long expansions', () => {
    expect(align('日 日 日').map(({ content }) => content)).toEqual(['日 日 ', '日'])
  })

  it('returns corresponding rows that cover both texts', () => {
    const unit = fc.constantFrom('AB', '§', '日', '\n', '\r\n', ' ', 'word', '🙂', 'y'.repeat(1100))
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const content = units.join('')
        const rows = align(content)
        expect(rows.map((row) => row.content).join('')).toBe(content)
        expect(rows.map((row) => row.source).join('')).toBe(decode(content, { entries: ENTRIES }))
        for (const row of rows) {
          expect(row.content).not.toBe('')
          expect(row.source.isWellFormed()).toBe(true)
          expect(row.source.length).toBeLessThan(2 * 2000 + 1500)
        }
      }),
    )
  })
})

describe('countTokensBySpan', () => {
  it('counts a piece for the span that it begins in', () => {
    const pieces = { ends: Uint32Array.of(3, 6, 10), counts: Uint32Array.of(1, 4, 2) }
    const spans = [
      { from: 0, to: 4 },
      { from: 4, to: 6 },
      { from: 6, to: 10 },
    ]
    expect(countTokensBySpan(pieces, spans)).toEqual([5, 0, 2])
  })
})
