import { describe, expect, it } from 'vitest'
import { encodings } from './encodings.ts'

/** So many that an algorithm whose time is quadratic never ends. */
const LONG = 100_000
// prettier-ignore
const units = [
  'A', 'a', 'Aa', 'aA', ' ', '\n', '\r\n', '\t', ' \n', '\u00a0', '0', '中', '한', 'ไ', 'Ж', '!', '-', '/',
  "'s", '\u0301', 'A\u0301', '🙂', '👩‍👩‍👧', 'A中', ' a', '\u200b',
]

const longUnits = ['A', 'a', 'Aa', ' ', '\r\n', '0', '中', '!', '\u0301', '🙂']

describe.each(encodings)('long runs in $name', ({ tokenizer, encodeByLibrary, decodeByLibrary }) => {
  it.each(units)('of %j match the library at 2,200 units', (unit) => {
    for (const text of [unit.repeat(2_200 / unit.length), `x${unit.repeat(700)}y`]) {
      expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
    }
  })

  it.each([' ', '\t', '-', '=', 'a', '\u0000'])('of %j match the library at any length', (unit) => {
    for (let length = 100; length < 1_400; length += 1 + (length >> 3)) {
      const text = `x${unit.repeat(length)}\n${unit.repeat(length + 1)}.`
      expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
      expect(tokenizer.countTokens(text)).toBe(encodeByLibrary(text).length)
    }
  })

  it.each(longUnits)('of %j decode to themselves at 100,000 characters', { timeout: 30_000 }, (unit) => {
    const text = unit.repeat(LONG / unit.length)
    const ids = tokenizer.encode(text)
    expect(decodeByLibrary(ids) === text).toBe(true)
    const { ends, counts } = tokenizer.splitPieces(text)
    expect(ends.at(-1)).toBe(text.length)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length)
  })

  it('of random letters and ideographs match the library', () => {
    for (const [first, size] of [
      [0x61, 26],
      [0x4e00, 3_000],
      [0x400, 64],
      [0x20, 94],
    ] as const) {
      const text = drawCharacters(9_000, first, size)
      expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
    }
  })
})

function drawCharacters(count: number, first: number, size: number): string {
  let state = count + first
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return String.fromCharCode(first + ((state >>> 10) % size))
  }).join('')
}
