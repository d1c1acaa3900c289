import type { Nodes, Root } from 'mdast'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCuts, type Cuts } from '../../src/preview/find-cuts.ts'
import { parseMarkdown } from '../markdown/block-tree.ts'
import { nastyMarkdown } from '../compress/nasty-markdown.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

/** For each kind of cut the line ends or words before the cuts. */
const show = (text: string): Record<Exclude<keyof Cuts, 'announces' | 'firstText'>, string[]> => {
  const cuts = findCuts(text, text.length)
  const before = (offsets: number[]): string[] =>
    offsets.map((at) => text.slice(0, at).split(/[\s]/).at(-1) ?? '')
  return {
    block: before(cuts.block),
    item: before(cuts.item),
    sentence: before(cuts.sentence),
    word: before(cuts.word),
  }
}

test('blocks end before the white space that follows', () => {
  // prettier-ignore
  expect(show('# a \n\nb\nc\n***\n```\nd\n```\n\n    e\n\n<p>\nf\n\n[g]: /h\n[i]: /j\n').block).toEqual([
    'a', 'c', '***', '```', 'e', 'f', '/h', '/j',
    ])
})

test('items of lists end, inner ones too, and the last with its list', () => {
  const { block, item } = show('1. a\n2. b\n   - c\n   - d\n\n   e\n3. f\n\ng\n')
  expect(block).toEqual(['f', 'g'])
  expect(item).toEqual(['a', 'c', 'd', 'e'])
})

test('rows of a table are ends, its header is not', () => {
  const { block, item } = show('|a|b|\n|-|-|\n|c|d|\n|e|f|\n|g|h|\n')
  expect(item).toEqual(['|c|d|', '|e|f|', '|g|h|'])
  expect(block).toEqual(['|g|h|'])
})

test('a fence is cut at its line ends only where it opens the document', () => {
  expect(show('```js\na\n\n  b\n```\n\n```\nc\n```\n').item).toEqual(['a', 'b'])
  expect(show('# t\n\n```js\na\nb\n```\n').item).toEqual([])
  expect(show('```js\na b\n```\n').word).toEqual([])
})

test.each([
  ['a full stop', 'One. Two! Three? four. Five', ['One.', 'Two!', 'four.', 'Five']],
  ['marks behind the stop', 'He said "yes." (Or no.) *So.* End', ['"yes."', 'no.)', '*So.*', 'End']],
  ['abbreviations', 'See e.g. This, i.e. That, Dr. Who, Fig. 3 and J. Doe. End', ['Doe.', 'End']],
  ['a number', 'It was 3.5 in 1999. Now 4', ['1999.', '4']],
  ['a line end', 'One.\nTwo.\nthree', ['One.', 'three']],
])('sentences: %s', (_name, text, expected) => {
  expect(show(text).sentence).toEqual(expected)
})

test('sentences and words without spaces', () => {
  const text = '你好。「世界！」再见 Vue 组件，好'
  const cuts = findCuts(text, text.length)
  expect(cuts.sentence.map((at) => text.slice(0, at))).toEqual(['你好。', '你好。「世界！」', text])
  expect(cuts.word.map((at) => text.slice(0, at))).toEqual([
    '你',
    '你好。',
    '你好。「世',
    '你好。「世界！」',
    '你好。「世界！」再',
    '你好。「世界！」再见',
    '你好。「世界！」再见 Vue',
    '你好。「世界！」再见 Vue 组',
    '你好。「世界！」再见 Vue 组件，',
    text,
  ])
})

test.each([
  ['a link', 'a [b c](d "e f") g', ['a', 'f")', 'g']],
  ['an image', 'a ![b c](d) g', ['a', 'c](d)', 'g']],
  ['a link by reference, its definition far away', 'a [b c][d e] g', ['a', 'e]', 'g']],
  ['code', 'a `b c` ``d ` e`` f', ['a', 'c`', 'e``', 'f']],
  ['HTML', 'a <b c="d e"> f', ['a', 'e">', 'f']],
  ['emphasis', 'a **b c** _d e_ snake_case f_g', ['a', 'c**', 'e_', 'snake_case', 'f_g']],
  ['marks that open nothing', 'a * b [c ] d ` e < f', ['a', '*', 'b', ']', 'd', '`', 'e', '<', 'f']],
  ['escaped marks', 'a \\[b c\\] \\`d e\\` f', ['a', '\\[b', 'c\\]', '\\`d', 'e\\`', 'f']],
])('words: never inside %s', (_name, text, expected) => {
  expect(show(text).word).toEqual(expected)
})

test('words of a quote: not between its marks and its text', () => {
  expect(show('> a b\n> c\nd\n').word).toEqual(['a', 'b', 'c', 'd'])
})

test('no words of code, tables, HTML blocks and setext headings', () => {
  expect(show('    a b\n\n|c d|\n|-|\n|e f|\n\n<p>\ng h\n\ni j\n===\n').word).toEqual([])
})

test('a block that is open at the end of the read text has no end', () => {
  const text = `${'word '.repeat(10)}\n\n${'- item\n'.repeat(2_000)}`
  const cuts = findCuts(text, 200)
  expect(cuts.block).toEqual([49])
  expect(cuts.item.every((at) => text.startsWith('\n- item', at))).toBe(true)
})

test('blocks, items and rows end where the reference parser ends them, in real documents', () => {
  for (const text of readCorpus()) {
    const expected = readEnds(parseMarkdown(text), text)
    const cuts = findCuts(text, text.length)
    expect(cuts.block).toEqual([...expected.block].sort((a, b) => a - b))
    const items = cuts.item.filter((at) => !expected.block.has(at))
    expect(items).toEqual([...expected.item].filter((at) => !expected.block.has(at)).sort((a, b) => a - b))
    expect(cuts.word.filter((at) => isInside(expected.atoms, at))).toEqual([])
    expect(cuts.sentence.filter((at) => isInside(expected.atoms, at))).toEqual([])
  }
})

test('no word is cut inside code, HTML or a link of the reference parser', () => {
  // The reference parser fails on some task boxes.
  const markdown = nastyMarkdown.map((text) => text.replaceAll('[x]', '[y]'))
  fc.assert(
    fc.property(markdown, (text) => {
      const { atoms } = readEnds(parseMarkdown(text), text)
      const cuts = findCuts(text, text.length)
      expect(cuts.word.filter((at) => isInside(atoms, at))).toEqual([])
    }),
    { numRuns: countRuns(100) },
  )
})

interface Ends {
  readonly block: Set<number>
  readonly item: Set<number>
  readonly atoms: [start: number, end: number][]
}

const ATOMS = new Set(['link', 'image', 'linkReference', 'imageReference', 'inlineCode', 'html', 'code'])

function readEnds(tree: Root, text: string): Ends {
  const ends: Ends = { block: new Set(), item: new Set(), atoms: [] }
  const findEnd = (node: Nodes): number => {
    const end = node.position?.end.offset ?? 0
    return end - (/[ \t]*$/.exec(text.slice(Math.max(0, end - 80), end))?.[0].length ?? 0)
  }
  const visit = (node: Nodes): void => {
    if (node.type === 'listItem') ends.item.add(findEnd(node))
    if (node.type === 'table') for (const row of node.children.slice(1)) ends.item.add(findEnd(row))
    if (ATOMS.has(node.type) && node.position !== undefined) {
      ends.atoms.push([node.position.start.offset ?? 0, node.position.end.offset ?? 0])
    }
    if ('children' in node) for (const child of node.children) visit(child)
  }
  for (const child of tree.children) ends.block.add(findEnd(child))
  visit(tree)
  return ends
}

function isInside(atoms: Ends['atoms'], at: number): boolean {
  return atoms.some(([start, end]) => start < at && at < end)
}
