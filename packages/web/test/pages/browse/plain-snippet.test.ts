import { expect, it } from 'vitest'
import { readSnippet, renderMarked } from '../../../src/html/display-text.ts'

it.each([
  ['## Keys\n\nSee **[the `SET` command](set.md)**.', 'Keys See the SET command.'],
  ['- one\n- [x] two\n1. three\n> four', 'one two three four'],
  ['| A | B |\n| --- | ---: |\n| `x|y` | 2 |', 'A · B x · y · 2'],
  ['A <b class="x">bold</b> <!-- note --> word<br/>.', 'A bold word.'],
  [
    '![A picture](a.png) and [a link][ref], <https://a.example/>.',
    'A picture and a link, https://a.example/.',
  ],
  ['*one* _two_ ~~three~~ snake_case_name 2 * 3 * 4', 'one two three snake_case_name 2 * 3 * 4'],
  ['`**kept**` and `<T>`.', '**kept** and <T>.'],
  ['```js\nconst a = 1\n```\n', 'const a = 1'],
  ['See [a link](https://example.org/very-lo', 'See a link'],
  ['Title\n=====\n\nText\\*.', 'Title Text*.'],
  ['and so on, as before.', '…and so on, as before.'],
  ['', ''],
  ['{{< callout type="info" >}}\nNames live here.\n{{% /callout %}}', 'Names live here.'],
  ['??? question "502 at start"\n\n::: tip\nWait.', '"502 at start" Wait.'],
])('reads %j as %j', (markdown, text) => {
  expect(readSnippet(markdown)).toBe(text)
})

it('takes linear time for hostile markup', () => {
  for (const part of ['[', '**', '`', '<a ', '|-', '](', '_ '])
    expect(readSnippet(part.repeat(120))).toBeTypeOf('string')
})

it('marks words in any form, and escapes all', () => {
  const show = (text: string, query: string): string => String(renderMarked(text, query, 'full'))
  expect(show('Keys expire <b>', 'key expiration')).toBe('<mark>Keys expire</mark> &lt;b&gt;')
  expect(show('A time to live', '"time to live"')).toContain('<mark>time')
  expect(show('the cat', 'dog')).toBe('the cat')
})
