import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineKind, type LineTable } from '../../src/markdown/line-table.ts'
import { scanLines } from '../../src/markdown/scan-lines.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { blockLetters } from './block-tree.ts'
import { nastyMarkdown, nestedMarkdown } from './nasty-markdown.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const NAMES = Object.keys(LineKind)
/** Letter of the block that owns a line of each kind, in the order of the kinds. */
const LETTERS = '-phhhtccccxxxbbbdy?'

function kindNames(text: string): string[] {
  return [...scanLines(text).kinds].map((kind) => NAMES[kind]!)
}

function bodies(text: string): string[] {
  const { count, bodyStarts, bodyEnds } = scanLines(text)
  return Array.from({ length: count }, (_, line) => text.slice(bodyStarts[line], bodyEnds[line]))
}

/** Lines whose kind differs from the reference parser's block; blank lines inside code and HTML count as blank. */
function findMisjudged(text: string, table: LineTable): string[] {
  const expected = blockLetters(text, table.count)
  return expected.flatMap((letter, line) => {
    const found = LETTERS[table.kinds[line]!]!
    const isEmpty = table.starts[line] === table.ends[line]
    if (found === letter || (found === '-' && 'cxy'.includes(letter)) || (letter === '-' && isEmpty))
      return []
    return [`${line}: ${letter}, found ${found}: ${text.slice(table.starts[line], table.ends[line])}`]
  })
}

describe('the kinds of lines', () => {
  test.each<[string, string[]]>([
    ['# a\ntext\n\n## b ##', ['atxHeading', 'paragraph', 'blank', 'atxHeading']],
    ['a\nb\n===', ['headingText', 'headingText', 'setextUnderline']],
    ['a\n\n===', ['paragraph', 'blank', 'paragraph']],
    ['a\n***\n- - -\n___', ['paragraph', 'thematicBreak', 'thematicBreak', 'thematicBreak']],
    ['```js\n# a\n``` b\n```\nc', ['fenceOpen', 'fencedCode', 'fencedCode', 'fenceClose', 'paragraph']],
    ['~~~\n```\n~~~~', ['fenceOpen', 'fencedCode', 'fenceClose']],
    ['``` a`b\nc', ['paragraph', 'paragraph']],
    ['a\n    b', ['paragraph', 'paragraph']],
    ['    a\n\n\tb\nc', ['indentedCode', 'blank', 'indentedCode', 'paragraph']],
    [
      '| a |\n| - |\n| b\nc\n\nd',
      ['tableHeader', 'tableDelimiter', 'tableRow', 'tableRow', 'blank', 'paragraph'],
    ],
    ['a | b\n| - |', ['paragraph', 'paragraph']],
    ['x\na | b\n-|-', ['paragraph', 'tableHeader', 'tableDelimiter']],
    ['[a]: b\n"t\nu"\n[c]: d e', ['definition', 'definition', 'definition', 'paragraph']],
    ['[a]:\nb\ntext', ['definition', 'definition', 'paragraph']],
    ['text\n[a]: b', ['paragraph', 'paragraph']],
    ['[a]: b\n===', ['definition', 'paragraph']],
    ['<div>\n# a\n</div>\n\nb', ['htmlFirst', 'htmlInside', 'htmlLast', 'blank', 'paragraph']],
    ['<!-- a\n\nb --> c\nd', ['htmlFirst', 'htmlInside', 'htmlLast', 'paragraph']],
    ['<x>\na', ['htmlFirst', 'htmlLast']],
    ['a\n<x>', ['paragraph', 'paragraph']],
    ['<x> a', ['paragraph']],
    ['---\na: b\n---\n# c', ['frontMatter', 'frontMatter', 'frontMatter', 'atxHeading']],
    ['\n---\na: b\n---', ['blank', 'thematicBreak', 'headingText', 'setextUnderline']],
    ['a\rb\r\nc\n', ['paragraph', 'paragraph', 'paragraph', 'blank']],
    ['', ['blank']],
  ])('%j', (text, kinds) => {
    expect(kindNames(text)).toEqual(kinds)
  })

  test.each<[string, string[]]>([
    ['> a\nb\n\nc', ['paragraph', 'paragraph', 'blank', 'paragraph']],
    ['> ```\na', ['fenceOpen', 'paragraph']],
    ['- ```\n  a\n  ```\n- b', ['fenceOpen', 'fencedCode', 'fenceClose', 'paragraph']],
    ['- a\n\n      b\n    c', ['paragraph', 'blank', 'indentedCode', 'paragraph']],
    ['-\n\n  a', ['blank', 'blank', 'paragraph']],
    ['1.  a\n\n        b', ['paragraph', 'blank', 'indentedCode']],
    ['-\ta\n\n\tb\n\n\t    c', ['paragraph', 'blank', 'paragraph', 'blank', 'indentedCode']],
    ['[^a]: b\n\n        c', ['paragraph', 'blank', 'indentedCode']],
    ['> | a |\n> | - |\n| b |', ['tableHeader', 'tableDelimiter', 'paragraph']],
  ])('inside containers: %j', (text, kinds) => {
    expect(kindNames(text)).toEqual(kinds)
  })

  test('are those of the reference parser in real documents', () => {
    for (const text of readCorpus()) expect(findMisjudged(text, scanLines(text))).toEqual([])
  })

  test('are those of the reference parser in nested blocks', () => {
    fc.assert(
      fc.property(nestedMarkdown, (text) => {
        expect(findMisjudged(text, scanLines(text))).toEqual([])
      }),
      { numRuns: countRuns(100) },
    )
  })
})

describe('the bodies of lines', () => {
  test.each<[string, string[]]>([
    ['## a b ##  ', ['a b']],
    ['# a#', ['a#']],
    ['# #', ['']],
    ['> - [x] a', ['a']],
    ['10) a\n\n    b  ', ['a', '', 'b']],
    ['a\n   b', ['a', 'b']],
    ['a\n- b\n2. c', ['a', 'b', 'c']],
    ['- ```\n    x\n  ```', ['', '  x', '']],
    [' ```\n   x\n```', ['', '  x', '']],
    ['      a', ['  a']],
    ['[^n]: a', ['a']],
    ['**a** b', ['**a** b']],
    ['1986.5 a', ['1986.5 a']],
    ['a\n---', ['a', '']],
    ['\ufeff# a', ['a']],
  ])('%j', (text, expected) => {
    expect(bodies(text)).toEqual(expected)
  })
})

describe('every string', () => {
  test('has as many lines as line endings, and one more; bodies lie inside their lines', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nastyMarkdown), (text) => {
        const { count, starts, ends, bodyStarts, bodyEnds } = scanLines(text)
        expect(Array.from({ length: count }, (_, line) => text.slice(starts[line], ends[line]))).toEqual(
          text.split(/\r\n|\n|\r/),
        )
        for (let line = 0; line < count; line++) {
          const offsets = [starts[line]!, bodyStarts[line]!, bodyEnds[line]!, ends[line]!]
          expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
        }
      }),
      { numRuns: countRuns(200) },
    )
  })

  test.each([
    ['quotes on one line', '> '.repeat(500_000)],
    ['bullets on one line', `${'- '.repeat(500_000)}x`],
    ['quotes on many lines', `${'> '.repeat(99)}x\n`.repeat(5_000)],
    [
      'lists within lists',
      Array.from({ length: 1_400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
    ],
    ['brackets', '['.repeat(1_000_000)],
    ['labels on many lines', '[a\n'.repeat(300_000)],
    ['definitions without an end of their title', '[a]: b\n"x\n'.repeat(100_000)],
    ['attributes', `<a ${'b=c'.repeat(300_000)}>`],
    ['comments', '<!--'.repeat(250_000)],
    ['delimiter rows', '|-|\n'.repeat(250_000)],
    ['front matter without an end', `---\n${'- a\n'.repeat(250_000)}`],
  ])('is read in bounded time: %s', { timeout: 60_000 }, (_, text) => {
    expect(scanLines(text).count).toBe(text.split('\n').length)
  })

  test('is opaque below the maximum depth of containers', () => {
    const text = `${'> '.repeat(150)}deep\n${'> '.repeat(150)}text\n\nshallow`
    expect(kindNames(text)).toEqual(['opaque', 'opaque', 'opaque', 'paragraph'])
    expect(bodies(text)).toEqual(['', '', '', 'shallow'])
  })
})
