import { describe, expect, it } from 'vitest'
import {
  deriveStoredTitleKey,
  deriveTitleKey,
  groupWords,
  listShortGrams,
  splitWords,
} from '../../src/database/title-keys.ts'

describe('deriveTitleKey', () => {
  it.each([
    ['TLS Basics', 'tls basics'],
    ['ﬁne ①', 'fine 1'],
    ['ＡＢＣ', 'abc'],
    ['A\u030Angström', 'ångström'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['a\0b\uFFFEc\uFFFFd\uD800e', 'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe'],
  ])('turns %j into %j', (title, key) => {
    expect(deriveTitleKey(title)).toBe(key)
  })

  it('cuts stored keys to 600 characters without splitting any', () => {
    expect(deriveStoredTitleKey('😀'.repeat(700))).toBe('😀'.repeat(600))
    expect(deriveStoredTitleKey('a'.repeat(600))).toBe('a'.repeat(600))
  })
})

describe('words of a title key', () => {
  it('are split at white space, without duplicates', () => {
    expect(splitWords(' go \t go\u00A0tls ')).toEqual(['go', 'tls'])
    expect(splitWords(' ')).toEqual([])
  })

  it('are long from three characters on, where trigrams find them', () => {
    expect(groupWords(['go', '😀😀', '統計学', '😀😀😀', 'x', 'abcd'])).toEqual({
      long: ['統計学', '😀😀😀', 'abcd'],
      short: ['go', '😀😀', 'x'],
    })
  })

  it('have short grams: single characters and pairs, none across a space', () => {
    expect(listShortGrams('ab 😀b a')).toEqual(['a', 'b', 'ab', '😀', '😀b'])
  })
})
