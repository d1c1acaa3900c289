import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRuns } from '../../../test-kit/test/count-runs.ts'
import { minify } from '../../src/minify/minify.ts'
import { o200kBase } from '../load-o200k-base.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { findFault } from './find-fault.ts'
import { BLOCKS, COMMENTS, HTML, LINKS } from './nasty-inputs.ts'
import { dialects, nastyPages } from './nasty-pages.ts'

describe.each([
  { what: 'a comment', rows: COMMENTS },
  { what: 'a link', rows: LINKS },
  { what: 'HTML', rows: HTML },
  { what: 'a block', rows: BLOCKS },
])('$what', ({ rows }) => {
  const cases = rows.map(([name, input, outcome, dialect = []]) => ({ name, input, outcome, dialect }))
  test.each(cases)('$name: $input', ({ input, outcome, dialect }) => {
    const { text } = minify(input, { dialect }, o200kBase)
    const allowed = outcome === 'stays' ? [input] : (outcome ?? [text])
    expect(allowed).toContain(text)
    expect(findFault(input, { dialect }, o200kBase)).toBe(undefined)
    expect(minify(text, { dialect }, o200kBase).text).toBe(text)
  })
})

test.each([
  ['Words', 'and more', true],
  ['!!! note "Words', 'and more', false],
  ['=== "Words', 'and more', false],
  ['> [!NOTE] Words', '> and more', false],
  ['::: tip Words', 'and more', false],
  ['![Words](b)', 'and more', false],
  ['Field: words', '**Other:** words', false],
  ['Words', '**bold, and nothing else**', false],
])('a filled paragraph of lines that begin with %j and %j is joined: %j', (first, second, isJoined) => {
  const fill = (line: string): string => line.padEnd(70, ' word')
  const source = `${`${fill('Words')}\n`.repeat(3)}\n`.repeat(10) + `${fill(first)}\n${second}\n`
  expect(minify(source, { dialect: ['mkdocs'] }, o200kBase).text.includes(`\n${second}`)).toBe(!isJoined)
})

describe('a minified text restores its source, says the same and costs no more', () => {
  test('in nasty pages of every dialect', () => {
    fc.assert(
      fc.property(nastyPages, dialects, (text, dialect) => {
        expect(findFault(text, { dialect }, o200kBase)).toBe(undefined)
      }),
      { numRuns: countRuns(500) },
    )
  })

  test('in real documents', () => {
    const texts = readCorpus().map((text) => text.replace(/^---\n[^]*?\n---\n/, ''))
    expect(
      texts.map((text) => findFault(text, {}, o200kBase)).filter((fault) => fault !== undefined),
    ).toEqual([])
  })
})
