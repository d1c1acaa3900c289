import { afterEach, expect, it, vi } from 'vitest'
import { renderMarkdown } from '../../src/rendering/render-markdown.ts'

const render = (markdown: string): string => renderMarkdown(markdown, 'Title', []).markup
const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n\n`

it('highlights the code of common languages, without a change to its text', () => {
  const code = 'const a = "<b>" // text & more'
  const markup = render(fence('js', code))
  expect(markup).toContain('<span class="hljs-keyword">const</span>')
  expect(markup).toContain('<span class="hljs-comment">')
  const text = markup.replace(/<button[^]*?<\/button>|<[^>]*>/g, '')
  expect(text.replaceAll('&#x3C;', '<').replaceAll('&#x26;', '&').trim()).toBe(code)
})

it.each(['', 'brainfuck', 'markdown', 'md', 'constructor', '__proto__', 'no-highlight'])(
  'keeps code plain that names no common language: %s',
  (language) => {
    expect(render(fence(language, 'const a = 1 # b'))).not.toContain('<span')
  },
)

it('lets only the classes of highlighted code pass', () => {
  const markup = render(fence('js hljs-x" onclick="alert(1)', '</code></pre><script>alert(1)</script>'))
  const classes = [...markup.matchAll(/class="([^"]*)"/g)].flatMap(([, names]) => names!.split(' '))
  expect(
    classes.filter((name) => !/^(?:|raw|code-block|copy|hljs|language-js|hljs-[a-z-]+)$/.test(name)),
  ).toEqual([])
  expect(markup).not.toMatch(/<script|onclick|<\/pre>[^]*<\/pre>/)
})

afterEach(() => {
  vi.restoreAllMocks()
})

it('keeps large blocks plain, and those beyond the limit of all', () => {
  // Otherwise the limit of time applies first on a slow machine.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  expect(render(fence('js', `const a = 1\n`.repeat(450)))).not.toContain('<span')
  const blocks = render(fence('js', 'const a = 1\n'.repeat(400)).repeat(20))
    .split('<pre')
    .slice(1)
  expect(blocks.map((block) => block.includes('<span'))).toEqual([
    ...Array<boolean>(12).fill(true),
    ...Array<boolean>(8).fill(false),
  ])
})

it('gives the columns of tables a width that suits their text', () => {
  const cells = [
    '1xx',
    'string or number',
    'the request was understood and accepted',
    'w '.repeat(40),
    '見出し'.repeat(4),
  ]
  const markup = render(`|a|b|c|d|e|\n|-|-|-|-|-|\n|${cells.join('|')}|`)
  expect([...markup.matchAll(/<td(?: class="(\w+)")?>/g)].map(([, name]) => name)).toEqual([
    undefined,
    'narrow',
    'medium',
    'wide',
    'narrow',
  ])
})

it.each([
  ['<a id="old"></a>', ''],
  ["text <a name='old'></a> more", '<p>text  more</p>'],
  ['<!-- Old heading. -->\n<a id="old"></a>', '<p></p>'],
  ['one<br>two<br/>', '<p>one<br>two<br></p>'],
  ['<a id="old">text</a>', '<p>&#x3C;a id="old">text&#x3C;/a></p>'],
  ['[our probe]({{< relref "/a.md" >}}) `[b]({% c %})`', '<p>our probe <code>[b]({% c %})</code></p>'],
  ['<details>\ntext', '<p class="raw" dir="ltr">&#x3C;details>\ntext</p>'],
])('omits the HTML that no reader sees, and shows the rest as text: %s', (markdown, expected) => {
  expect(render(markdown).replace('<p></p>', '').trim()).toBe(expected.replace('<p></p>', ''))
})

it.each([
  ['> [!NOTE]\n> Read this.', '<p><strong>Note</strong><br>Read this.</p>'],
  ['> [!WARNING] Read *this*.', '<p><strong>Warning</strong><br> Read <em>this</em>.</p>'],
  ['> [!OTHER]\n> Read this.', '<p>[!OTHER]\nRead this.</p>'],
])('names an alert: %s', (markdown, expected) => {
  expect(
    render(markdown)
      .replace(/<\/?blockquote>/g, '')
      .trim(),
  ).toBe(expected)
})

it('keeps the blocks after the limit of time plain', () => {
  let time = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000))
  const blocks = render(fence('js', 'const a = 1').repeat(4)).split('<pre').slice(1)
  expect(blocks.map((block) => block.includes('<span'))).toEqual([true, true, false, false])
})
