import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ProtectOptions, protectLines } from '../../../src/compress/prepare-text.ts'
import { scanLines } from '../../../src/markdown/scan-lines.ts'
import { nastyMarkdown } from '../../markdown/nasty-markdown.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const DENSE: ProtectOptions = { code: true }

/** Replaces every protected character by a dot. */
function mask(text: string, options?: ProtectOptions): string {
  const characters = text.split('')
  const ranges = protectLines(scanLines(text), options)
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
    expect(mask(text, DENSE)).toBe(expected)
  })
})

describe('positions where acronyms are not used', () => {
  test.each<[string, string, string]>([
    ['a | b\n-|-\nc | d', '.....\n...\nc . d', 'a . b\n...\nc . d'],
    ['<div>\na\n</div>', '.....\n.\n......', '.....\na\n......'],
  ])('%j', (text, readable, other) => {
    expect(mask(text, { readable: true })).toBe(readable)
    expect(mask(text)).toBe(other)
  })
})

describe('code', () => {
  test.each<[string, string]>([
    ['```\na\n```\nb', '...\n.\n...\nb'],
    ['    a b\n\nc', '.......\n\nc'],
  ])('is protected unless allowed: %j', (text, expected) => {
    expect(mask(text)).toBe(expected)
    expect(mask(text, { code: true })).not.toBe(expected)
  })
})

test('pipes of many rows are found in bounded time', { timeout: 60_000 }, () => {
  expect(protectLines(scanLines(`| a |\n|-|\n${'| b |\n'.repeat(150_000)}`)).length).toBeGreaterThan(150_000)
})

test('ranges rise, are disjoint and contain no line ending, for every text', () => {
  const options = fc.record({ code: fc.boolean(), readable: fc.boolean() })
  fc.assert(
    fc.property(nastyMarkdown, options, (text, chosen) => {
      const table = scanLines(text)
      const ranges = [...protectLines(table, chosen)]
      for (let index = 1; index < ranges.length; index++)
        expect(ranges[index]).toBeGreaterThan(ranges[index - 1]!)
      for (let index = 0; index < ranges.length; index += 2) {
        expect(text.slice(ranges[index], ranges[index + 1])).not.toMatch(/[\r\n]/)
      }
    }),
    { numRuns: countRuns(200) },
  )
})
