import { describe, expect, test } from 'vitest'
import { isAssignedInUnicode15 } from '../../src/compress/text/lex-units.ts'
import { isMarkCodePoint, isWordCodePoint } from '../../src/decode/word-edge.ts'

const W = /^[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]]$/v
// Later versions of Unicode than 15.0 add Thai to their Script_Extensions.
const CHANGED = [0x2bc, 0x303, 0x305, 0x323, 0x331]

describe('isWordCodePoint', () => {
  test('is W of SPEC.md §4.1 for every code point except the five of §4.2', () => {
    const wrong = findCodePoints(
      (codePoint) => isWordCodePoint(codePoint) !== W.test(String.fromCodePoint(codePoint)),
    )
    expect(wrong.filter((codePoint) => !CHANGED.includes(codePoint))).toEqual([])
    expect(CHANGED.filter((codePoint) => !isWordCodePoint(codePoint))).toEqual([])
  })

  test('has counts that follow from Unicode 15.0, counted there', () => {
    expect(
      findCodePoints((codePoint) => isAssignedInUnicode15(codePoint) && isWordCodePoint(codePoint)),
    ).toHaveLength(29_923)
    expect(
      findCodePoints((codePoint) => isAssignedInUnicode15(codePoint) && isMarkCodePoint(codePoint)),
    ).toHaveLength(2_450)
  })
})

test('isMarkCodePoint is General_Category M', () => {
  const wrong = findCodePoints(
    (codePoint) => isMarkCodePoint(codePoint) !== /^\p{M}$/u.test(String.fromCodePoint(codePoint)),
  )
  expect(wrong).toEqual([])
})

function findCodePoints(isFound: (codePoint: number) => boolean): number[] {
  return Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(isFound)
}
