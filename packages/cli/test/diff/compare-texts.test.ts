import { describe, expect, it } from 'vitest'
import { compareTexts } from '../../src/diff/compare-packs.ts'

describe('compareTexts', () => {
  it('counts the words that came and went in their order, and gives the lines of each passage', () => {
    const before = 'first\nkeep the old word here\nsame\nlast\n'
    const after = 'first\nkeep the new, longer word here\nsame\nadded line\nlast\n'
    expect(compareTexts(before, after)).toEqual({
      wordsBefore: 8,
      wordsAfter: 11,
      added: 4,
      removed: 1,
      isEstimate: false,
      passages: [
        {
          lineBefore: 2,
          lineAfter: 2,
          before: 'keep the old word here\n',
          after: 'keep the new, longer word here\n',
        },
        { lineBefore: 4, lineAfter: 4, before: '', after: 'added line\n' },
      ],
    })
  })

  it('shows a passage for a change of punctuation, without words', () => {
    const { added, removed, passages } = compareTexts('a b.\n', 'a b!\n')
    expect({ added, removed, passages: passages.length }).toEqual({ added: 0, removed: 0, passages: 1 })
  })

  it('counts characters of scripts that put no spaces between words', () => {
    expect(compareTexts('東京に行く', '京都に行く')).toMatchObject({ wordsBefore: 5, added: 1, removed: 1 })
  })

  it('compares empty texts and line ends of both kinds', () => {
    expect(compareTexts('', 'a b')).toMatchObject({ added: 2, removed: 0 })
    expect(compareTexts('a\r\nb', 'a\nb')).toMatchObject({
      added: 0,
      removed: 0,
      passages: [{ before: 'a\r\n' }],
    })
  })

  it('counts words without their order where two texts have little in common', () => {
    const list = (name: string): string => Array.from({ length: 3000 }, (_, at) => `${name}${at}\n`).join('')
    const result = compareTexts(`same\n${list('old')}end\n`, `same\n${list('new')}end\n`)
    expect(result).toMatchObject({ added: 3000, removed: 3000, isEstimate: true })
    expect(result.passages.map(({ lineBefore, lineAfter }) => [lineBefore, lineAfter])).toEqual([[2, 2]])
  })
})
