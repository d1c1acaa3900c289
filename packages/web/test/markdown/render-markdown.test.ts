import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../src/markdown/render-markdown.ts'

const render = (markdown: string): string => renderMarkdown(markdown, 'Title').trim()

describe('active content', () => {
  it.each([
    ['<script>alert(1)</script>', '<p>&#x3C;script>alert(1)&#x3C;/script></p>'],
    ['a <img src=x onerror=alert(1)> b', '<p>a &#x3C;img src=x onerror=alert(1)> b</p>'],
    ['<svg/onload=alert(1)>', '<p>&#x3C;svg/onload=alert(1)></p>'],
    ['[x](javascript:alert(1))', '<p>x</p>'],
    ['[x](JaVaScRiPt:alert(1))', '<p>x</p>'],
    ['[x](java&#10;script:alert(1))', '<p>x</p>'],
    ['[x](data:text/html;base64,PHNjcmlwdD4=)', '<p>x</p>'],
    ['[x](vbscript:x)', '<p>x</p>'],
    ['[x](//evil.example)', '<p>x</p>'],
    ['[x](/settings/sign-out)', '<p>x</p>'],
    ['[x][r]\n\n[r]: javascript:alert(1)', '<p>x</p>'],
    ['![p](data:image/svg+xml,x)', '<p>[image: p]</p>'],
    ['![p](/logo.png)', '<p>[image: p]</p>'],
  ])('becomes harmless text: %s', (markdown, html) => {
    expect(render(markdown)).toBe(html)
  })

  it('is kept if it only looks like markup', () => {
    expect(render('`<b>` and 1 < 2')).toBe('<p><code>&#x3C;b></code> and 1 &#x3C; 2</p>')
  })

  it('leaves out comments, but shows HTML after a comment', () => {
    expect(render('<!-- pack:verbatim -->\n\ntext\n\n<!-- a --><script>')).toBe(
      '<p>text</p>\n<p>&#x3C;!-- a -->&#x3C;script></p>',
    )
  })

  it('escapes bidirectional controls', () => {
    expect(render('user\u202Egnp.exe \u2066x\u2069')).toBe('<p>user[U+202E]gnp.exe [U+2066]x[U+2069]</p>')
  })
})

describe('links', () => {
  it('lead to the web and to mail, with nofollow and noopener', () => {
    expect(render('[a](https://a.example/?q=1) <b@c.example>')).toBe(
      '<p><a href="https://a.example/?q=1" rel="nofollow noopener">a</a> <a href="mailto:b@c.example" rel="nofollow noopener">b@c.example</a></p>',
    )
  })

  it('lead to headings of the same text', () => {
    expect(render('[go](#Two-words)\n\n## Two words\n\n## Two words')).toBe(
      '<p><a href="#user-content-two-words">go</a></p>\n<h3 id="user-content-two-words">Two words</h3>\n<h3 id="user-content-two-words-1">Two words</h3>',
    )
  })

  it('replace images', () => {
    expect(render('![A dog](https://a.example/d.png)')).toBe(
      '<p><a href="https://a.example/d.png" rel="nofollow noopener">[image: A dog]</a></p>',
    )
  })

  it('contain no other links', () => {
    expect(render('[![A dog](https://a.example/d.png)](https://b.example)')).toBe(
      '<p><a href="https://b.example" rel="nofollow noopener">[image: A dog]</a></p>',
    )
  })
})

it('prefixes every id, including those of footnotes', () => {
  const html = renderMarkdown('# main\n\na[^n]\n\n[^n]: b', 'Title')
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(ids.length).toBeGreaterThan(3)
  expect(ids.filter((id) => !id!.startsWith('user-content-'))).toEqual([])
  expect(html).toContain('href="#user-content-fn-n"')
})

it('leaves out a first heading that equals the title, and moves the others down one level', () => {
  expect(renderMarkdown('# Title\n\n# Other\n\n###### Deep', 'Title').trim()).toBe(
    '<h2 id="user-content-other">Other</h2>\n<h6 id="user-content-deep">Deep</h6>',
  )
})

it('shows task boxes as text, and makes tables and code scrollable by keyboard', () => {
  const html = render('- [x] done\n\n|a|\n|-|\n|1|\n\n```js\nx\n```')
  expect(html).toContain('☑ done')
  expect(html).not.toContain('<input')
  expect(html).toContain('<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
  expect(html).toContain('<pre tabindex="0"><code class="language-js">x')
})

describe('quotations and lists', () => {
  const measureDepth = (markup: string, tags: string): number => {
    let depth = 0
    let most = 0
    for (const [tag] of markup.matchAll(new RegExp(`</?(?:${tags})>`, 'g'))) {
      depth += tag.startsWith('</') ? -1 : 1
      most = Math.max(most, depth)
    }
    return most
  }

  it.each([
    ['quotations', `${'> '.repeat(500)}deep [x](https://a.example/)`],
    ['lists', `${'- '.repeat(500)}deep [x](https://a.example/)`],
    ['both', `${'> - '.repeat(250)}deep [x](https://a.example/)`],
  ])('nest at most twenty levels deep: %s', (_name, markdown) => {
    const markup = render(markdown)
    expect(measureDepth(markup, 'blockquote|ul')).toBe(20)
    expect(measureDepth(markup, 'blockquote|ul|li|p')).toBeLessThan(42)
    expect(markup).toContain('deep <a href="https://a.example/"')
  })

  it('keep the order and text of deeper items', () => {
    const lines = Array.from({ length: 23 }, (_, depth) => `${'  '.repeat(depth)}- *item* ${depth}`)
    const markup = render(lines.join('\n'))
    const words = [...markup.matchAll(/<em>item<\/em> (\d+)/g)].map(([, number]) => Number(number))
    expect(words).toEqual(Array.from({ length: 23 }, (_, depth) => depth))
    expect(markup).toMatch(/<p><em>item<\/em> 20\s*<\/p>\s*<p><em>item<\/em> 21\s*<\/p>/)
  })
})
