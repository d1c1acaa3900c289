import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLinkResolver, resolveLinks } from '../../src/links/resolve-links.ts'

const links = [
  'https://a.example/one',
  'guide/two.md',
  '#three',
  'mailto:four@example.com',
  'javascript:alert(5)',
  'https://a.example/six_(6)',
  'a b|c>d\\',
  'data:text/html,x',
]

const A = 'https://a.example/one'

// More answers are in fixtures/links.json.

test.each<[string, string, string]>([
  ['one number twice', '[a](3) [b](3)', '[a](#three) [b](#three)'],
  ['code in the words', '[`f()` of](1)', `[\`f()\` of](${A})`],
  ['brackets in the words', '[a [b] c](1)', `[a [b] c](${A})`],
  ['escaped brackets', String.raw`[a \] b](1) \[c](2)`, String.raw`[a \] b](${A}) \[c](2)`],
  ['words over two lines', '- [a\n  b](1)', `- [a\n  b](${A})`],
  ['a table', '| [a](1) | b |\n|-|-|\n| c | [d](2) |', `| [a](${A}) | b |\n|-|-|\n| c | [d](guide/two.md) |`],
  ['a nested list', '- a\n\n    - [b](1)', `- a\n\n    - [b](${A})`],
  ['an address with signs of markup', '[a](7)', String.raw`[a](<a b\|c\>d\\>)`],
  ['an image', 'x ![the plan](2)!', 'x [the plan](guide/two.md)!'],
  ['a link in an image', '![a [b](1)](2)', `[a [b](${A})](guide/two.md)`],
  ['no link before an exclamation mark', 'Stop! [a](1)', `Stop! [a](${A})`],
])('%s', (_name, answer, resolved) => {
  expect(resolveLinks(answer, links)).toBe(resolved)
})

test.each<[string, string]>([
  ['an unknown number', '[a](9) [b](0) [c](01) [d](99999999)'],
  ['a number with a title', '[a](1 "b")'],
  ['a citation or a function', '[1] f(1) [^1] a[1] [a] (1)'],
  ['another scheme', '[a](5) [b](8) ![c](8)'],
  ['a code span', '`[a](1)` ``[b](1) ` c``'],
  ['a fence with a shorter one in it', '````\n```\n[a](1)\n````'],
  ['a fence of tildes', '~~~\n[a](1)\n```\n[b](1)'],
  ['a fence in a list', '1. a\n   ```\n   [b](1)\n   ```'],
  ['indented code', 'a\n\n    [b](1)\n'],
  ['indented code behind a heading', '# a\n    [b](1)'],
  ['indented code in an item', '- a\n\n      [b](1)'],
  ['a fence in a code span', 'a `` b\n```\n[c](1)\n```'],
  ['words over two items', '- [a\n- b](1)'],
])('%s stays', (_name, answer) => {
  expect(resolveLinks(answer, links)).toBe(answer)
})

test('links after code are resolved', () => {
  expect(resolveLinks('`a` [b](3)\n\n```\n[c](3)\n```\n[d](3) a ` b\n\n[e](3)', links)).toBe(
    '`a` [b](#three)\n\n```\n[c](3)\n```\n[d](#three) a ` b\n\n[e](#three)',
  )
})

test.each([
  ['a quote', '> ```\n> [a](3)\n\n[b](3)'],
  ['a quote without a blank line', '> ```\n> [a](3)\n[b](3)'],
  ['a quote in a quote', '> > ```\n> > [a](3)\n>\n> [b](3)'],
  ['an item', '- ```\n  [a](3)\n\n  [a](3)\n\n[b](3)'],
  ['an item, at the next one', '- a\n  ```\n  [a](3)\n- [b](3)'],
  ['an ordered item', '1. ~~~\n   [a](3)\n\n2. [b](3)'],
  ['a quote in an item', '- > ```\n  > [a](3)\n  [b](3)'],
  ['an item with Windows line ends', '- ```\r\n  [a](3)\r\n\r\n[b](3)'],
])('a fence that is open at the end of %s ends there', (_name, answer) => {
  expect(resolveLinks(answer, links)).toBe(answer.replace('[b](3)', '[b](#three)'))
})

test.each([
  ['a paragraph of an item', '10. a\n\n    [b](3)'],
  ['an item behind a tab', '- \t [b](3)'],
  ['a line that continues a paragraph', 'a\n      [b](3)'],
  ['the text below an underlined heading', '[a\n===\nb](3) [b](3)'],
  ['a fence in an item that ends', '- ```\n  [a](3)\n  ```\n  [b](3)'],
])('a link is resolved in %s', (_name, answer) => {
  expect(resolveLinks(answer, links)).toBe(answer.replace(/\[b\]\(3\)$/, '[b](#three)'))
})

test('images stay images if a program wants them', () => {
  expect(resolveLinks('[![a](2)](1)', links, { images: true })).toBe(`[![a](guide/two.md)](${A})`)
})

test('numbers can be keys of an object, which inherits none', () => {
  expect(resolveLinks('[a](7) [b](1) [c](12)', { 7: '/seven', 12: '/twelve' })).toBe(
    '[a](/seven) [b](1) [c](/twelve)',
  )
  const bare = '[a](7)'
  expect(resolveLinks(bare, Object.create({ 7: '/seven' }) as Record<string, string>)).toBe(bare)
})

describe('an address of a stranger', () => {
  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    '\u0001javascript:alert(1)',
    'javascript&#58;alert(1)',
    String.raw`javascript\:alert(1)`,
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    '<javascript:alert(1)>',
  ])('%j stays a number', (address) => {
    expect(resolveLinks('[a](1)', [address])).toBe('[a](1)')
  })

  test.each([
    ['/x> [evil](y', '[a](</x\\> [evil](y>)'],
    ['/x\\', '[a](</x\\\\>)'],
    ['/x`', '[a](</x%60>)'],
    ['', '[a](<>)'],
  ])('%j ends no link', (address, resolved) => {
    expect(resolveLinks('[a](1)', [address])).toBe(resolved)
  })
})

// prettier-ignore
const piece = fc.constantFrom(
  '[', ']', '(', ')', '!', '![', '](1)', '](2)', '](5)', '](9)', '[a](1)', '![b](2)', '`', '``', '```', '~~~', '\n', '\n\n', '\\', ' ',
  '    ', '- ', '1. ', '> ', '# ', '| ', 'word', '1', '😀', '\r\n',
)
const nasty = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

test('the chunks of an answer make no difference', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.nat({ max: 6 })), (answer, sizes) => {
      const { push, end } = createLinkResolver(links)
      let output = ''
      let at = 0
      for (const size of sizes) output += push(answer.slice(at, (at += size)))
      output += push(answer.slice(at)) + end()
      expect(output).toBe(resolveLinks(answer, links))
      // The next answer is read from the beginning.
      expect(push(answer) + end()).toBe(output)
    }),
    { numRuns: 500 },
  )
})

test.each(['`', '` ', '`` ` ', '[', '[a](1)', '![', '> ', '- ', '~', '\\', '1'])(
  'of a run of %j each unit is read once, however it is cut',
  (unit) => {
    const text = unit.repeat(5_000)
    let reads = 0
    const count = (chunk: string): string =>
      new Proxy(Object(chunk) as object, {
        get: (target, key) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++
          return Reflect.get(target, key) as unknown
        },
      }) as unknown as string
    const { push, end } = createLinkResolver(links)
    const whole = push(count(text)) + end()
    expect(reads).toBe(text.length)
    let output = ''
    for (const each of text) output += push(count(each))
    expect(reads).toBe(2 * text.length)
    expect(output + end()).toBe(whole)
  },
)

test('a protocol-relative address is a relative one', () => {
  expect(resolveLinks('[a](1)', ['//cdn.example/a'])).toBe('[a](//cdn.example/a)')
})

test('without known numbers an answer stays as it is', () => {
  fc.assert(
    fc.property(nasty, (answer) => {
      expect(resolveLinks(answer, [])).toBe(answer)
    }),
  )
})

test('a stream holds back one link at most', () => {
  const { push, end } = createLinkResolver(links)
  const output = 'One [a](1), ![b](2) `c` [d] e\n- [ ] f [g'.split('').map((unit) => push(unit))
  // prettier-ignore
  expect(output).toEqual([
    'O', 'n', 'e', ' ', '', '', '', '', '', `[a](${A})`, ',', ' ', '', '', '', '', '', '', '[b](guide/two.md)', ' ', '`', 'c',
    '`', ' ', '', '', '', '[d] ', 'e', '\n', '-', ' ', '', '', '', '[ ] ', 'f', ' ', '', '',
  ])
  expect(end()).toBe('[g')
})
