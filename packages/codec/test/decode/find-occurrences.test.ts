import { decode, parseRosetta } from '../../src/index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOccurrences } from '../../src/decode/find-occurrences.ts'

describe('findOccurrences', () => {
  it('returns each position where a term is not part of a word', () => {
    const { entries } = parseRosetta('[DECODE] ML=machine learning|§= of the')
    expect(findOccurrences('ML in HTML§ML', entries)).toEqual([
      { entry: 0, start: 0, end: 2 },
      { entry: 1, start: 10, end: 11 },
      { entry: 0, start: 11, end: 13 },
    ])
  })

  it('finds what decode replaces: expanding the occurrences gives the decoded text', () => {
    const unit = fc.constantFrom('A', 'B', 'AB', '§', ' ', 'x', '日', '🙂', '\uE000', '\u0301')
    const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''))
    fc.assert(
      fc.property(text, (content) => {
        const entries = [
          { term: 'AB', expansion: 'alpha' },
          { term: '§', expansion: ' beta' },
          { term: '日', expansion: 'gamma ' },
          { term: '🙂', expansion: 'delta' },
        ]
        let expanded = ''
        let last = 0
        for (const { entry, start, end } of findOccurrences(content, entries)) {
          expect(content.slice(start, end)).toBe(entries[entry]!.term)
          expanded += content.slice(last, start) + entries[entry]!.expansion
          last = end
        }
        expect(expanded + content.slice(last)).toBe(decode(content, { entries }))
      }),
    )
  })
})
