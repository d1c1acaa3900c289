import { expect, it } from 'vitest'
import { cutText } from '../../src/html/display-text.ts'

it.each([
  ['one two three', 13, 'one two three'],
  ['one two three', 9, 'one two…'],
  ['one two three', 8, 'one two…'],
  ['one twothree', 8, 'one two…'],
  ['a bcdefghijkl', 10, 'a bcdefgh…'],
  ['😀😀😀😀', 3, '😀😀…'],
  ['暗号の鍵を交換する方法', 6, '暗号の鍵を…'],
  ['', 5, ''],
])('cuts %j to %i characters', (text, characters, expected) => {
  expect(cutText(text, characters)).toBe(expected)
})
