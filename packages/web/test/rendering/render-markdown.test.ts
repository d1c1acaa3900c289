import { splitSections } from '@packs/codec/internal'
import { describe, expect, it } from 'vitest'
import { listHeadings } from '../../src/documents/read-document.ts'
import { renderMarkdown, type RenderedMarkdown } from '../../src/rendering/render-markdown.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

const renderAll = (markdown: string): RenderedMarkdown =>
  renderMarkdown(markdown, 'Title', listHeadings(splitSections(markdown), markdown))
const render = (markdown: string): string => renderAll(markdown).markup.trim()

describe('active content', () => {
  it.each(
    listPairs([
      ['<p class="raw" dir="ltr">&#x3C;script>alert(1)&#x3C;/script></p>', '<script>alert(1)</script>'],
      ['<p>a &#x3C;img src=x onerror=alert(1)> b</p>', 'a <img src=x onerror=alert(1)> b'],
      ['<p>&#x3C;svg/onload=alert(1)></p>', '<svg/onload=alert(1)>'],
      ['<p>x</p>', '[x](javascript:alert(1))', '[x](JaVaScRiPt:alert(1))', '[x](java&#10;script:alert(1))'],
      ['<p>x</p>', '[x](data:text/html;base64,PHNjcmlwdD4=)', '[x](vbscript:x)', '[x](//evil.example)'],
      ['<p>x</p>', '[x](/settings/sign-out)', '[x][r]\n\n[r]: javascript:alert(1)'],
      ['<p><bdi>[image: p]</bdi></p>', '![p](data:image/svg+xml,x)', '![p](/logo.png)'],
    ]),
  )('becomes harmless text: %s', (markdown, html) => {
    expect(render(markdown)).toBe(html)
  })

  it('is kept if it only looks like markup', () => {
    expect(render('`<b>` and 1 < 2')).toBe('<p><code>&#x3C;b></code> and 1 &#x3C; 2</p>')
  })

  it('omits comments, but shows HTML after a comment', () => {
    expect(render('<!-- pack:verbatim -->\n\ntext\n\n<!-- a --><script>')).toBe(
      '<p>text</p>\n<p class="raw" dir="ltr">&#x3C;!-- a -->&#x3C;script></p>',
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

  it.each([
    ['[go](#Two-words)', 'two-words'],
    ['[go](#two-words-1)', 'two-words-1'],
    ['[go](#Own:Id)', 'Own%3AId'],
    ['[go](#%E8%A6%8B%E5%87%BA%E3%81%97)', '%E8%A6%8B%E5%87%BA%E3%81%97'],
    ['[go](#見出し)', '%E8%A6%8B%E5%87%BA%E3%81%97'],
  ])('lead to headings of the same text: %s', (link, fragment) => {
    const text = `${link}\n\n## Two words\n\n## Two words\n\n## Other {#Own:Id}\n\n## 見出し`
    expect(render(text)).toContain(`<p><a href="#${fragment}">go</a></p>`)
  })

  it.each(['[go](#none)', '[go](#~main)', '[go](#)', '[go](#%zz)', '[go](#quoted)\n\n> # Quoted'])(
    'that lead to no heading become text: %s',
    (link) => {
      expect(render(link)).toMatch(/^<p>go<\/p>/)
    },
  )

  it('replace images', () => {
    expect(render('![A dog](https://a.example/d.png)')).toBe(
      '<p><a href="https://a.example/d.png" rel="nofollow noopener"><bdi>[image: A dog]</bdi></a></p>',
    )
  })

  it('contain no other links', () => {
    expect(render('[![A dog](https://a.example/d.png)](https://b.example)')).toBe(
      '<p><a href="https://b.example" rel="nofollow noopener"><bdi>[image: A dog]</bdi></a></p>',
    )
  })
})

describe('headings', () => {
  const ids = (markdown: string): string[] =>
    [...render(markdown).matchAll(/<(?:h[2-6]|div) id="([^"]*)"/g)].map(([, id]) => id!)

  it('have the ids of their sections, and a link to themselves beside them', () => {
    expect(render('## Two *words*')).toBe(
      '<div class="heading"><h2 id="two-words">Two <em>words</em></h2><a class="anchor" href="#two-words" aria-label="Link to “Two words”">#</a></div>',
    )
  })

  it.each([
    ['duplicates', '# A\n\n# A\n\n# A-1\n\n# A', ['a', 'a-1', 'a-1-1', 'a-2']],
    ['underlined ones', 'One\n===\n\ntwo\nlines\n---\n\ntext', ['one', 'two-lines']],
    ['other scripts', '## 見出し\n\n## Überblick\n\n## 🙂', ['見出し', 'überblick', 'section']],
    ['names of the page', '# main\n\n# text\n\n# versions\n\n# cost', ['main', 'text', 'versions', 'cost']],
    ['any line end', '\uFEFF\r\n\r# A\r# B\r\n# C\n# D', ['a', 'b', 'c', 'd']],
    ['indented ones after blank lines', ' \n\n   # A\n\n  # B #', ['a', 'b']],
    ['no others', '> # A\n\n- # B\n\n```\n# C\n```\n\n<h1 id="d">D</h1>\n\n[^n]: # E', []],
    ['long ones', `# ${'w'.repeat(5000)}`, ['w'.repeat(200)]],
    ['bidirectional ones', '# a\u202Eb', ['ab']],
  ])('get ids: %s', (_name, markdown, expected) => {
    expect(ids(markdown)).toEqual(expected)
  })

  it.each([
    ['# Set up {#Setup}', 'Setup', 'Set up'],
    ['# Set up {/* setup */} ##', 'setup', 'Set up'],
    ['Set\nup {#_a_}\n===', '_a_', 'Set\nup'],
    ['# `code` {#a.b:c-d}', 'a.b:c-d', '<code>code</code>'],
    ['# Set up \\{#setup}', 'set-up-setup', 'Set up {#setup}'],
    ['# Set {#a b}', 'set-a-b', 'Set {#a b}'],
  ])('do not show their explicit id: %s', (markdown, id, words) => {
    expect(render(markdown)).toContain(`<h2 id="${id}">${words}</h2>`)
  })

  it('do not show an explicit id that another heading had before', () => {
    expect(render('# A {#x}\n\n# B {#x}')).toContain('<h2 id="x-1">B</h2>')
  })

  // prettier-ignore
  const headings = [
    '"><script>alert(1)</script>', 'a" onmouseover="alert(1)', '<img src=x onerror=alert(1)> {#"onclick="x}',
    '[x](javascript:alert(1)) {#javascript:alert}', '&quot;&gt;&lt;script&gt;', '`<script>` \u202Ex',
  ]
  it.each(headings)('cannot run code: # %s', (heading) => {
    const markup = render(`# ${heading}`)
    const tags = [...markup.matchAll(/<\/?(div|h2|a|code)((?: [a-z-]+="[^"]*")*)>/g)]
    expect(tags.reduce((text, [tag]) => text.replace(tag, ''), markup)).not.toMatch(/<|\u202E/)
    const attributes = tags.flatMap(([, , list]) => [...list!.matchAll(/ ([a-z-]+)="([^"]*)"/g)])
    const names = new Set(attributes.map(([, name]) => name!))
    expect([...names].toSorted()).toEqual(['aria-label', 'class', 'href', 'id'])
    const links = attributes.filter(([, name]) => name === 'href').map(([, , href]) => href!)
    expect(links.filter((href) => !/^#[\w%.-]+$/.test(href))).toEqual([])
  })
})

it('gives footnotes ids that no section can have', () => {
  const html = render('# ~note-fn-n\n\n# footnote-label\n\na[^n]\n\n[^n]: b')
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(ids).toEqual(['note-fn-n', 'footnote-label', '~note-fnref-n', '~note-footnote-label', '~note-fn-n'])
  expect(html).toContain('href="#~note-fn-n"')
})

it('omits a first heading that equals the title, and skips no level', () => {
  const { markup, titleId } = renderAll('# Title\n\n# Other\n\n###### Deep\n\n### Less')
  expect(titleId).toBe('title')
  expect(markup.replace(/<a .*?<\/a>/g, '').trim()).toBe(
    '<div id="title"></div>\n<div class="heading"><h2 id="other">Other</h2></div>\n<div class="heading"><h3 id="deep">Deep</h3></div>\n<div class="heading"><h3 id="less">Less</h3></div>',
  )
  expect(render('# Title')).toBe('')
})

it('shows task boxes as text, and makes tables and code scrollable by keyboard', () => {
  const html = render('- [x] done\n\n|a|\n|-|\n|1|\n\n```js\nx\n```')
  expect(html).toContain('☑ done')
  expect(html).not.toContain('<input')
  expect(html).toContain('<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
  expect(html).toContain('<pre tabindex="0"><code class="hljs language-js">x')
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
