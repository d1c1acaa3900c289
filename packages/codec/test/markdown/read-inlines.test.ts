import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { describe, expect, test } from 'vitest'
import { inlineBlocks, listDefinitions, listLabels } from '../../src/markdown/inlines/inline-blocks.ts'
import { type Inline, readInlines } from '../../src/markdown/read-inlines.ts'
import { scanLines } from '../../src/markdown/scan-lines.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { parseMarkdown } from './block-tree.ts'
import { nastyInlines } from './nasty-inlines.ts'
import { nastyMarkdown } from './nasty-markdown.ts'

function readAll(text: string): Inline[] {
  const table = scanLines(text)
  const labels = listLabels(table)
  return [...inlineBlocks(table)].flatMap(({ parts }) => readInlines(text, parts, labels))
}

/** The inlines outside of images: the reference parser lists none in them. */
function readOuter(text: string): string[] {
  let end = 0
  return readAll(text).flatMap((inline) => {
    if (inline.start < end) return []
    if (inline.kind === 'image') end = inline.end
    return [describeInline(inline)]
  })
}

function describeInline({ kind, form, start, end }: Inline): string {
  return `${start}-${end} ${kind === 'link' || kind === 'image' ? `${kind} ${form === 'inline' ? form : 'reference'}` : kind}`
}

/** The inlines of the reference parser. Bare links that mdast adds to micromark's have no position. */
function listNodes(node: Nodes, text: string, found: string[] = []): string[] {
  const kind = nodeKind(node, text)
  if (kind !== undefined && node.position !== undefined)
    found.push(`${node.position.start.offset}-${node.position.end.offset} ${kind}`)
  const isContainer = ['root', 'blockquote', 'listItem', 'footnoteDefinition'].includes(node.type)
  if ('children' in node)
    for (const child of node.children)
      if (!isContainer || child.type !== 'html') listNodes(child, text, found)
  return found
}

function nodeKind(node: Nodes, text: string): string | undefined {
  const source = text.slice(node.position?.start.offset, node.position?.end.offset)
  switch (node.type) {
    case 'inlineCode':
      return 'code'
    case 'html':
      return source.startsWith('<!--') ? 'comment' : 'html'
    case 'link':
      return source.startsWith('[') ? 'link inline' : source.startsWith('<') ? 'autolink' : 'bare'
    case 'image':
      return 'image inline'
    case 'linkReference':
      return 'link reference'
    case 'imageReference':
      return 'image reference'
    case 'footnoteReference':
      return 'footnote'
    default:
      return undefined
  }
}

describe('the inlines of a text', () => {
  test('are those of the reference parser in nasty text', () => {
    fc.assert(
      fc.property(fc.oneof(nastyInlines, nastyMarkdown), (text) => {
        expect(readOuter(text)).toEqual(listNodes(parseMarkdown(text), text))
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  test('are those of the reference parser in real documents', () => {
    for (const text of readCorpus()) expect(readOuter(text)).toEqual(listNodes(parseMarkdown(text), text))
  })
})

describe('the parts of links', () => {
  test.each<[string, string[]]>([
    ['[a](b)', ['link inline a b']],
    ['[a]( <b c> "t" )', ['link inline a <b c>']],
    ['[a]()', ['link inline a ']],
    ['> [a\n> b](c\n> "t\n> u")', ['link inline a\n> b c']],
    ['![a [b](c)](d)', ['image inline a [b](c) d', 'link inline b c']],
    ['[a [b](c)](d)', ['link inline b c']],
    ['[a][B]\n\n[b]: c', ['link full a B']],
    ['[b][] ![b]\n\n[b]: c', ['link collapsed b b', 'image shortcut b b']],
    ['| [a](b\\|c) | `[d](e)` |\n|-|-|', ['link inline a b\\|c']],
    ['# [a](b) #', ['link inline a b']],
    ['- [x] [a](b)\n\n[x]: c', ['link inline a b']],
    ['[a](b', []],
    [`[a](${'('.repeat(32)}b${')'.repeat(32)})`, [`link inline a ${'('.repeat(32)}b${')'.repeat(32)}`]],
    [`[a](${'('.repeat(33)}b${')'.repeat(33)})`, []],
  ])('%j', (text, expected) => {
    const links = readAll(text).filter(({ form }) => form !== 'none')
    expect(
      links.map(({ kind, form, start, close, from, to }) =>
        [kind, form, text.slice(start + (kind === 'image' ? 2 : 1), close), text.slice(from, to)].join(' '),
      ),
    ).toEqual(expected)
  })
})

describe('the definitions of a text', () => {
  test.each<[string, string[]]>([
    ['[a]: b', ['A 0+1 b ']],
    ['x\n\n> [ a\n> B ]:\n> <c d>\n> "t\n> u"\n> [e]: f', ['A B 2+5 <c d> "t\n> u"', 'E 7+1 f ']],
    ["[a]: b 't'\n[A]: c\n\n- [d]: e (t)", ["A 0+1 b 't'", 'D 3+1 e (t)']],
    ['```\n[a]: b\n```\nx\n[c]: d', []],
  ])('%j', (text, expected) => {
    const definitions = [...listDefinitions(scanLines(text))]
    expect(
      definitions.map(([label, { line, lines, from, to, titleFrom, titleTo }]) =>
        [label, `${line}+${lines}`, text.slice(from, to), text.slice(titleFrom, titleTo)].join(' '),
      ),
    ).toEqual(expected)
  })
})

describe('hostile text is read in bounded time', () => {
  test.each([
    [
      0,
      [
        '[',
        '![',
        '[a',
        '<',
        '<a "',
        '<!--',
        '<?',
        '](<',
        '](a (',
        '[x](a "',
        '[](<a](b (x> (y',
        '[^a',
        '[a][b',
      ],
    ],
    [0, ['_www.a_b.', '[1http://a', 'a@', 'http://a_b.']],
    [1, ['http://a!', 'http://a/&amp', 'www.a]!']],
  ])('with %j inlines: %j', { timeout: 60_000 }, (count, units) => {
    expect(units.map((unit) => readAll(unit.repeat(500_000 / unit.length)).length)).toEqual(
      units.map(() => count),
    )
  })
})
