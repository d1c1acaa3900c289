import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareStructure } from '../../src/markdown/line-signature.ts'
import { isCodeKind } from '../../src/markdown/line-table.ts'
import { protectLines } from '../../src/compress/prepare-text.ts'
import { scanLines } from '../../src/markdown/scan-lines.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { blockTree, blockTreeWithoutMatter } from './block-tree.ts'
import { editLines, lineEdits, nastyMarkdown, nestedMarkdown } from './nasty-markdown.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

function compare(source: string, content: string): number[] {
  return compareStructure(scanLines(source), scanLines(content))
}

describe('changes of structure by a replacement', () => {
  test.each<[string, string, string, number[]]>([
    ['a setext underline', 'a\nb c', 'a\n---', [0, 1]],
    ['a thematic break', 'a\n\nb c', 'a\n\n***', [2]],
    ['a list item', 'a\n\nb c', 'a\n\n- c', [2]],
    ['an ordered item', 'a\n\nb c', 'a\n\n1. c', [2]],
    ['a heading', 'b c', '# c', [0]],
    ['another heading level', '# a', '## a', [0]],
    ['a quote', 'b c', '> c', [0]],
    ['a fence', 'b c\nd', '```\nd', [0, 1]],
    ['the end of a fence', '```\nb c\nd\n```', '```\n```\nd\n```', [1, 2, 3]],
    ['HTML', 'b c\nd', '<div> c\nd', [0, 1]],
    ['the end of HTML', '<!--\nb c\nd\n-->', '<!--\n--> c\nd\n-->', [1, 2, 3]],
    ['a definition', 'b c\nd', '[x]: y\nd', [0]],
    ['a definition on two lines', '[x]:\nb c\nd', '[x]:\ny\nd', [0, 1]],
    ['a table', 'a\nb c\n|-|-|', 'a\nb | c\n|-|-|', [1, 2]],
    ['a cell', 'a|b\n-|-\nc d', 'a|b\n-|-\nc|d', [2]],
    ['a cell less', 'a|b\n-|-\nc|d', 'a|b\n-|-\nc\\|d', [2]],
    ['a blank line', 'a\nb\nc', 'a\n\nc', [1, 2]],
    ['a task', '- a b', '- [ ] b', [0]],
    ['indented code', 'a\n\nb c', 'a\n\n    c', [2]],
    ['front matter', 'a\nb\n---', '---\nb\n---', [0, 1, 2]],
    ['the end of an item', '- a\n\n  b', '- a\n\nb', [2]],
  ])('%s', (_, source, content, lines) => {
    expect(blockTree(source)).not.toBe(blockTree(content))
    const found = compare(source, content)
    for (const line of lines) expect(found).toContain(line)
  })

  test.each<[string, string]>([
    ['- **some words** here\n  and there', '- § here\n  § there'],
    ['| a b | c d |\n| --- | --- |\n| e `f` | g |', '| AB | § |\n| --- | --- |\n| § | GX |'],
    ['```py\nif x:\n    return y\n```', '```py\n§\n§y\n```'],
    ['# a b c', '# ABC'],
    ['a b\nc d\n===', 'AB\nCD\n==='],
    ['    a b', '    §'],
    ['1986.5 and *more*', 'AM'],
  ])('there are none in %j', (source, content) => {
    expect(blockTree(source)).toBe(blockTree(content))
    expect(compare(source, content)).toEqual([])
  })

  test('are never missed in generated markdown', () => {
    let compared = 0
    fc.assert(
      fc.property(nastyMarkdown, lineEdits, (source, edits) => {
        if (expectSound(source, editLines(source, edits))) compared++
      }),
      { numRuns: countRuns(500) },
    )
    expect(compared).toBeGreaterThan(10)
  })

  test('are never missed in nested blocks with changed bodies', () => {
    let compared = 0
    fc.assert(
      fc.property(nestedMarkdown, lineEdits, (source, edits) => {
        const { starts, bodyStarts } = scanLines(source)
        const content = editLines(source, edits, (line) => bodyStarts[line]! - starts[line]!)
        if (expectSound(source, content)) compared++
      }),
      { numRuns: countRuns(500) },
    )
    expect(compared).toBeGreaterThan(10)
  })

  test('are very rare if replacements respect protected ranges', () => {
    let lines = 0
    let differing = 0
    const kept: string[][] = []
    for (const source of readCorpus()) {
      const content = replaceUnprotected(source)
      const found = compare(source, content)
      lines += scanLines(source).count
      differing += found.length
      if (found.length === 0) kept.push([source, content])
    }
    // The examples have many tags and bars, which a replacement may cut.
    expect(differing).toBeLessThanOrEqual(lines / 400)
    for (const [source, content] of kept.filter((_, index) => index % 6 === 0)) {
      expect(blockTree(content!)).toBe(blockTree(source!))
    }
  })
})

describe('the lines found', () => {
  test('include a changed line if there are any, so that undoing them ends', () => {
    fc.assert(
      fc.property(nastyMarkdown, lineEdits, (source, edits) => {
        const content = editLines(source, edits)
        const a = scanLines(source)
        const b = scanLines(content)
        fc.pre(a.count === b.count)
        const found = compareStructure(a, b)
        const isChanged = (line: number): boolean =>
          source.slice(a.starts[line], a.ends[line]) !== content.slice(b.starts[line], b.ends[line])
        expect(found.length === 0 || found.some(isChanged)).toBe(true)
        expect(found).toEqual([...new Set(found)].toSorted((x, y) => x - y))
      }),
      { numRuns: countRuns(200) },
    )
  })

  test('are none for equal texts', () => {
    fc.assert(
      fc.property(nastyMarkdown, (text) => {
        expect(compare(text, text)).toEqual([])
      }),
    )
  })

  test('require equal line counts', () => {
    expect(() => compare('a', 'a\nb')).toThrow(RangeError)
  })
})

/**
 * Asserts that equal signatures mean equal trees, for parsers with and without support for front matter. Returns whether
 * source and content differ and their signatures do not, so that there was something to compare.
 */
function expectSound(source: string, content: string): boolean {
  const a = scanLines(source)
  const b = scanLines(content)
  if (a.count !== b.count || compareStructure(a, b).length > 0) return false
  const trees = source.startsWith('---') ? [blockTree, blockTreeWithoutMatter] : [blockTree]
  expect(trees.map((treeOf) => treeOf(content))).toEqual(trees.map((treeOf) => treeOf(source)))
  return source !== content
}

/** Replaces about a third of what `dense-2` may change by symbols and acronyms. */
function replaceUnprotected(text: string): string {
  const table = scanLines(text)
  const ranges = protectLines(table)
  let state = text.length
  const next = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const result: string[] = []
  let copied = 0
  let range = 0
  for (let line = 0; line < table.count; line++) {
    for (let offset = table.starts[line]!; offset < table.ends[line]!;) {
      while (range < ranges.length && ranges[range + 1]! <= offset) range += 2
      const open = range < ranges.length ? ranges[range]! : Infinity
      if (open <= offset) {
        offset = ranges[range + 1]!
        continue
      }
      const end = Math.min(table.ends[line]!, open, offset + 2 + next(30))
      if (next(3) === 0 && (isCodeKind(table.kinds[line]!) || end - offset > 3)) {
        result.push(text.slice(copied, offset), next(2) === 0 ? '§' : 'AB')
        copied = end
      }
      offset = end
    }
  }
  return result.join('') + text.slice(copied)
}
