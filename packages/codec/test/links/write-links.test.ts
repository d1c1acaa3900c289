import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { describe, expect, test } from 'vitest'
import { resolveLinks } from '../../src/links/resolve-links.ts'
import { joinLinks, listLinkPlaces, selectLinks, writeLinks } from '../../src/links/write-links.ts'

const links = ['https://a.example/one', 'two.md', '#three', '/four']
const url = 'https://docs.example/guide/start'

/** The addresses of the links of a text, by another parser. */
function listAddresses(text: string): string[] {
  const found: string[] = []
  const visit = (node: { type: string; url?: string; children?: unknown[] }): void => {
    if (node.url !== undefined) found.push(node.url)
    for (const child of node.children ?? []) visit(child as typeof node)
  }
  visit(unified().use(remarkParse).use(remarkGfm).parse(text))
  return found
}

describe('writeLinks', () => {
  const text =
    'A [b](1), ![c d](2)\n\n| [`e`](3) |\n|-|\n| [f g](4) |\n\n`[h](1)` [i](#1) <https://j.example> [k l](9)\n'

  test('numbers stay as they are', () => {
    expect(writeLinks(text, links, 'number')).toBe(text)
  })

  test('puts addresses in place, relative ones with the URL of the page', () => {
    const inline = writeLinks(text, links, 'inline', { url })
    // prettier-ignore
    expect(listAddresses(inline)).toEqual([
      'https://a.example/one', 'https://docs.example/guide/two.md', `${url}#three`, 'https://docs.example/four',
      '#1', 'https://j.example', '9',
    ])
    expect(listAddresses(writeLinks(text, links, 'inline')).slice(1, 4)).toEqual([
      'two.md',
      '#three',
      '/four',
    ])
  })

  test('drops addresses and keeps the words', () => {
    expect(writeLinks(text, links, 'drop')).toBe(
      'A [b](https://a.example/one), ![c d]\n\n| [`e`] |\n|-|\n| [f g] |\n\n`[h](1)` [i](#1) <https://j.example> [k l]\n',
    )
  })

  test.each([
    ['- [x](2) done', '- [x](two.md) done'],
    ['> [!NOTE](2)', '> [!NOTE](two.md)'],
    ['[^1](2)', '[^1](two.md)'],
    ['[](2)', '[](two.md)'],
    ['[a b](2)(note)', '[a b](two.md)(note)'],
    ['[a b](2)[c d](3)', '[a b](two.md)[c d]'],
    ['[a b](2): c', '[a b](two.md): c'],
    ['[a b](2)\n\n[A B]: /c', '[a b](two.md)\n\n[A B]: /c'],
    ['[![a b](2)](3)', '[![a b]](#three)'],
    ['[1. Intro](2)', '[1. Intro]'],
    ['**[a b](2)**c', '**[a b]**c'],
  ])('%j keeps an address that its words need', (given, dropped) => {
    expect(writeLinks(given, links, 'drop')).toBe(dropped)
  })

  test('an address of a stranger makes no other link', () => {
    const hostile = ['x) [y](z', '> <b', '`', 'a\\', 'a|b', '/a b']
    const given = '| [a](1) | [b](2) | [c](3) ` | [d](4) | [e](5) | [f](6) |\n|-|-|-|-|-|-|\n'
    const written = writeLinks(given, hostile, 'inline')
    expect(listAddresses(written)).toEqual(['x) [y](z', '> <b', '%60', 'a\\', 'a|b', '/a b'])
  })
})

test('a part of a text has the addresses of the numbers in it', () => {
  const text = '[a](1) ([b](2)) `[c](3)` [d](4) [e](7)'
  const places = listLinkPlaces(text)
  expect(places.map(({ start, end, number }) => [text.slice(start, end), number])).toEqual([
    ['[a](1)', '1'],
    ['[b](2)', '2'],
    ['[d](4)', '4'],
    ['[e](7)', '7'],
  ])
  expect(selectLinks(places, links)).toEqual({ 1: links[0], 2: links[1], 4: links[3] })
  expect(selectLinks(places, { 2: '/b' }, { start: 3, end: text.indexOf('[d') })).toEqual({ 2: '/b' })
})

test('a template of the tool of a site stays as it is', () => {
  const all = [
    "{{ '/a/' | relative_url }}",
    '/b{% link c.md %}#d',
    '{{< ref "e.md" >}}',
    '{{ x](y) }}',
    '{{ `z` }}',
  ]
  const text = '[a b](1) [c d](2) ![e f](3)'
  expect(writeLinks(text, all, 'inline', { url })).toBe(`[a b](${all[0]}) [c d](${all[1]}) ![e f](${all[2]})`)
  expect(writeLinks('[a b](4) [c d](5)', all, 'inline')).toBe('[a b](<{{ x](y) }}>) [c d](<{{ %60z%60 }}>)')
  expect(resolveLinks('[a](1) [c](2)', all)).toBe(`[a](${all[0]}) [c](${all[1]})`)
})

describe('joinLinks', () => {
  test('numbers several texts together, in the order of appearance', () => {
    const joined = joinLinks([
      { text: '[a](2) [b](1)', links: ['https://x.example', '#install'] },
      { text: '`[c](1)` [d](1) [e](2) [f](3)', links: ['#install', 'https://x.example', 'c.md'] },
    ])
    expect(joined).toEqual({
      texts: ['[a](1) [b](2)', '`[c](1)` [d](3) [e](2) [f](4)'],
      links: ['#install', 'https://x.example', '#install', 'c.md'],
    })
  })

  test('takes addresses for one that are equal once they are completed', () => {
    const joined = joinLinks([
      { text: '[a](1) [b](2)', links: ['../x.md', 'https://docs.example/y'], url },
      { text: '[c](1) [d](2)', links: ['/x.md', '/y'], url },
    ])
    expect(joined).toEqual({
      texts: ['[a](1) [b](2)', '[c](1) [d](2)'],
      links: ['https://docs.example/x.md', 'https://docs.example/y'],
    })
  })

  test('a number that is an address gets one of its own beside numbered links', () => {
    const texts = [{ text: '[next](2)', links: [] }]
    expect(joinLinks(texts)).toEqual({ texts: ['[next](2)'], links: [] })
    expect(joinLinks([...texts, { text: '[a](1)', links: ['/a'] }])).toEqual({
      texts: ['[next](1)', '[a](2)'],
      links: ['2', '/a'],
    })
  })
})
