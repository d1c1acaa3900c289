import { expect, test } from 'vitest'
import { restoreText } from '../../src/minify/restore-text.ts'
import { createSourceOffsets } from '../../src/minify/edited-text.ts'
import type { PatchRow } from '../../src/minify/types.ts'

const text = 'One [a](1) and [b](2).\n\n# Title\n'
const patch: PatchRow[] = [
  [0, 0, '<!-- hidden -->\n'],
  [8, 1, 'https://a.example'],
  [19, 1, '/b "b"'],
  [24, 2, ''],
  [31, 0, '\n====='],
]

test.each(['One', '[a]', ') and', '[b]', ').', 'Title'])('the place of %j is that in the source', (words) => {
  const find = createSourceOffsets(patch)
  expect(find(text.indexOf(words))).toBe(restoreText(text, patch).indexOf(words))
})

test('a place in what was replaced is where that begins', () => {
  const find = createSourceOffsets([[2, 4, 'xyz']])
  expect([0, 2, 4, 5, 6, 7].map(find)).toEqual([0, 2, 2, 2, 5, 6])
  expect(createSourceOffsets([])(5)).toBe(5)
})
