import { describe, expect, it } from 'vitest'
import { lintTexts, listLocations } from '../lint-texts.ts'

describe('vague-link-text', () => {
  const RULE = 'vague-link-text'

  it.each([
    'here',
    'Click here',
    'here.',
    '**this page**',
    'Read more →',
    'link',
    'hier',
    'cliquez ici',
    'aquí',
    'こちら',
    '点击这里',
    '여기',
    'здесь',
  ])('reports [%s]', (text) => {
    expect(listLocations(lintTexts(RULE, `See [${text}](keys.md).`))).toEqual(['a.md:1:5'])
  })

  it('reports references, lists, tables and link texts over two lines', () => {
    const text =
      'See [here][keys].\n\n- [here](a)\n\n| [here](b) |\n| --- |\n\nSee [click\nhere](c).\n\n[keys]: keys.md'
    expect(listLocations(lintTexts(RULE, text))).toEqual(['a.md:1:5', 'a.md:3:3', 'a.md:5:3', 'a.md:8:5'])
  })

  it.each([
    ['texts that name the target', '[Rotating keys](keys.md) and [the page about here](x)'],
    ['code', '`[here](a)` and [`page.*`](b)'],
    ['a code block', '```\n[here](a)\n```'],
    ['images', '![here](a.png)'],
    ['brackets without a target', 'Press [here] or [x] here (now).'],
    ['a template', '{{< link "[here](a)" >}}'],
    ['an escaped bracket', '\\[here](a)'],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})

describe('doubled-address', () => {
  const RULE = 'doubled-address'

  it('reports all of a document, with the tokens', () => {
    const [finding] = lintTexts(
      RULE,
      'a [https://a.example/b](https://a.example/b)\n\n[https://c.example](<https://c.example>)',
    )
    expect(listLocations([finding!])).toEqual(['a.md:1:3', 'a.md:3:1'])
    expect(finding!.message).toBe('2 links repeat their URL as their text')
    expect(finding!.saves).toBeGreaterThan(5)
  })

  it('does not report other texts, autolinks and relative links', () => {
    expect(
      lintTexts(RULE, '[Guide](https://a.example) <https://a.example> https://a.example [a.md](a.md)'),
    ).toEqual([])
  })
})

describe('missing-alt-text', () => {
  const RULE = 'missing-alt-text'

  it('reports images of markdown and HTML', () => {
    const text = '![](a.png)\n\n[![ ](b.png)](b)\n\n<img src="c.png">\n\nx <img src="d.png" width=2> y'
    expect(listLocations(lintTexts(RULE, text))).toEqual(['a.md:1:1', 'a.md:3:2', 'a.md:5:1', 'a.md:7:3'])
  })

  it.each([
    ['described images', '![A form](a.png) <img alt="A form" src=b>'],
    ['decoration', '<img src="line.png" alt="">'],
    ['a caption', '<figure>\n<img src="a.png">\n<figcaption>A form</figcaption>\n</figure>'],
    ['a bound text', '<img :alt="text" src="a">'],
    ['code', '`![](a.png)` `<img src=a>`\n\n    <img src=a>'],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})
