import { describe, expect, test } from 'vitest'
import { findOwnScripts, scriptOf } from '../../src/rosetta/term-scripts.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

describe('scriptOf', () => {
  test.each(
    listPairs([
      ['Han', '漢', '々', '𠮷'],
      ['Kana', 'ひ', 'カ', 'ー'],
      ['Hangul', '글', 'ㄱ'],
      ['Thai', 'ก'],
    ]),
  )('%s is a letter of %s', (letter, script) => {
    expect(scriptOf(letter)).toBe(script)
  })

  test.each([
    ['nothing', ''],
    ['two letters', '漢字'],
    ['a letter of W', 'a'],
    ['a letter whose script later became Thai, too', '\u02bc'],
    ['a sign', '※'],
    ['a digit of Thai', '๑'],
    ['a number of Han', '〇'],
    ['a mark of Thai', '\u0e31'],
    ['punctuation of Han', '。'],
    ['a lone surrogate', '\ud842'],
  ])('%s has none', (_, text) => {
    expect(scriptOf(text)).toBeUndefined()
  })

  test('exactly the letters outside W have one', () => {
    // SPEC.md §4.1, as a regular expression.
    const word = /[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]]/v
    const wrong: string[] = []
    for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
      const text = String.fromCodePoint(codePoint)
      const isLetter = /\p{L}/u.test(text) && !word.test(text) && text !== '\u02bc'
      if ((scriptOf(text) !== undefined) !== isLetter) wrong.push(codePoint.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

describe('findOwnScripts', () => {
  const latin = 'a'.repeat(10_000)

  test('a script with 50 letters is the source’s', () => {
    expect([...findOwnScripts([latin, '漢'.repeat(49)])]).toEqual([])
    expect([...findOwnScripts([latin, '漢'.repeat(50)])]).toEqual(['Han'])
  })

  test('so is one with 1 % of all letters', () => {
    expect([...findOwnScripts(['a'.repeat(397), 'กขค'])]).toEqual([])
    expect([...findOwnScripts(['a'.repeat(297), 'กขค'])]).toEqual(['Thai'])
  })

  test('Hiragana and Katakana count together', () => {
    expect([...findOwnScripts([latin, 'ひ'.repeat(25), 'カー'.repeat(12)])]).toEqual([])
    expect([...findOwnScripts([latin, 'ひ'.repeat(25), 'カー'.repeat(13)])]).toEqual(['Kana'])
  })

  test('all texts count together', () => {
    expect([...findOwnScripts([latin, '글'.repeat(30), latin, '글'.repeat(20)])]).toEqual(['Hangul'])
  })

  test('what is no letter does not count', () => {
    expect([...findOwnScripts(['1234567890 ,.。※'.repeat(99), 'a'.repeat(101), '漢'])]).toEqual([])
    expect([...findOwnScripts([latin, '。〇'.repeat(99)])]).toEqual([])
  })

  test('a letter of two units counts once', () => {
    expect([...findOwnScripts([latin, '𠮷'.repeat(49)])]).toEqual([])
  })

  test('a text without letters has none', () => {
    expect([...findOwnScripts(['', '1 2 3'])]).toEqual([])
  })
})
