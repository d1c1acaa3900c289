import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { protectLines } from '../../../src/compress/prepare-text.ts'
import { scanLines } from '../../../src/markdown/scan-lines.ts'
import { nastyMarkdown } from '../../markdown/nasty-markdown.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

/** Replaces every protected character by a dot. */
function mask(text: string, prose = false): string {
  const characters = text.split('')
  const ranges = protectLines(scanLines(text), prose)
  for (let index = 0; index < ranges.length; index += 2)
    characters.fill('.', ranges[index], ranges[index + 1])
  return characters.join('')
}

describe('line structure', () => {
  test.each<[string, string]>([
    ['# a b #', '.......'],
    ['> - a\n>   b', '....a\n....b'],
    ['- [ ] a', '......a'],
    ['a\n---', '.\n...'],
    ['a | b\\|c |\n-|-\n| d | e', 'a . b\\|c .\n...\n. d . e'],
    ['| `a|b` |\n|-|-|', '. `a.b` .\n.....'],
    [' ```js\n   if a\n ```', '......\n.  if a\n....'],
    ['- ```\n  a\n    b\n  ```', '.....\n..a\n..  b\n.....'],
    ['    a b', '....a b'],
    ['<div>\na\n</div>', '.....\na\n......'],
    ['[a]: b "t"\nc', '..........\nc'],
    ['---\na: b\n---\nc', '...\n....\n...\nc'],
    ['[^1]: a', '......a'],
    ['a  \nb', 'a..\nb'],
  ])('%j', (text, expected) => {
    expect(mask(text)).toBe(expected)
  })
})

describe('positions where the terms of an author are not used', () => {
  test.each<[string, string, string]>([
    ['a | b\n-|-\nc | d', '.....\n...\nc . d', 'a . b\n...\nc . d'],
    ['<div>\na\n</div>', '.....\n.\n......', '.....\na\n......'],
  ])('%j', (text, prose, other) => {
    expect(mask(text, true)).toBe(prose)
    expect(mask(text)).toBe(other)
  })
})

test('pipes of many rows are found in bounded time', { timeout: 60_000 }, () => {
  expect(protectLines(scanLines(`| a |\n|-|\n${'| b |\n'.repeat(150_000)}`)).length).toBeGreaterThan(150_000)
})

test('ranges rise, are disjoint and contain no line ending, for every text', () => {
  fc.assert(
    fc.property(nastyMarkdown, fc.boolean(), (text, prose) => {
      const table = scanLines(text)
      const ranges = [...protectLines(table, prose)]
      for (let index = 1; index < ranges.length; index++)
        expect(ranges[index]).toBeGreaterThan(ranges[index - 1]!)
      for (let index = 0; index < ranges.length; index += 2) {
        expect(text.slice(ranges[index], ranges[index + 1])).not.toMatch(/[\r\n]/)
      }
    }),
    { numRuns: countRuns(200) },
  )
})
