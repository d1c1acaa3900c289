import { expect, test } from 'vitest'
import { isAssignedInUnicode15 } from '../../../src/compress/text/lex-units.ts'

const LAST = 0x10ffff

test('counts the 149,186 characters of Unicode 15.0', () => {
  const controls = 65
  const privateUse = 6_400 + 2 * 65_534
  const surrogates = 2_048
  let assigned = 0
  for (let codePoint = 0; codePoint <= LAST; codePoint++) if (isAssignedInUnicode15(codePoint)) assigned++
  expect(assigned - controls - privateUse - surrogates).toBe(149_186)
})

test('includes nothing that is unassigned in the later version of this runtime', () => {
  const wrong: number[] = []
  for (let codePoint = 0; codePoint <= LAST; codePoint++) {
    if (isAssignedInUnicode15(codePoint) && /\p{Cn}/u.test(String.fromCodePoint(codePoint)))
      wrong.push(codePoint)
  }
  expect(wrong).toEqual([])
})

test.each([
  [0x41, 'A'],
  [0x4e00, 'a Han character'],
  [0x1e4d0, 'Nag Mundari, new in 15.0'],
  [0x31350, 'extension H, new in 15.0'],
  [0x10ffff - 2, 'the last private use character'],
])('includes %i, %s', (codePoint) => {
  expect(isAssignedInUnicode15(codePoint)).toBe(true)
})

test.each([
  [0x378, 'never assigned'],
  [0x2ebf0, 'extension I, new in 15.1'],
  [0x2ffc, 'an ideographic description, new in 15.1'],
  [0x1c89, 'Cyrillic, new in 16.0'],
  [0x10d4a, 'Garay, new in 16.0'],
  [0xffff, 'a noncharacter'],
  [-1, 'no code point'],
  [0x110000, 'past the last one'],
])('excludes %i, %s', (codePoint) => {
  expect(isAssignedInUnicode15(codePoint)).toBe(false)
})
