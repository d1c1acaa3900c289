import { decode } from '@packs/codec'
import { splitSections } from '@packs/codec/internal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeBeginning, listHeadings } from '../../src/documents/read-document.ts'
import { createTextCache } from '../../src/documents/create-document-reader.ts'
import { createRenderer, type Renderer, type Rendering } from '../../src/rendering/create-renderer.ts'

let shared: Renderer
beforeAll(() => {
  shared = createRenderer(createTextCache(), 60_000)
})
afterAll(() => shared.close())

const rosetta = '[DECODE] CT=certificate <b>transparency</b>'

function render(
  renderer: Renderer,
  content: string,
  key: string,
  limit = 100_000,
  owner = '192.0.2.1',
): Promise<Rendering> {
  const decoded = decodeBeginning(content, rosetta, limit)
  const sections = splitSections(decode(content, rosetta))
  const beginning = {
    ...decoded,
    headings: listHeadings(sections, decoded.text),
    headingCount: sections.length,
    introTokens: sections[0]?.level === 0 ? 5 : undefined,
    isWhole: true,
  }
  return renderer.render({ key, title: 'Title', owner, load: () => Promise.resolve(beginning) })
}

it('decodes before it renders, so that markup in an expansion is shown as text', async () => {
  const { markup, isTruncated } = await render(shared, 'Logs of CT.', 'logs')
  expect(markup).toBe('<p>Logs of certificate &#x3C;b>transparency&#x3C;/b>.</p>')
  expect(isTruncated).toBe(false)
})

it('cuts a long text at the end of a line', async () => {
  const content = Array.from({ length: 50 }, (_, line) => `Line ${line}\n\n`).join('')
  const { markup, isTruncated } = await render(shared, content, 'long', 30)
  expect(markup).toBe('<p>Line 0</p>\n<p>Line 1</p>\n<p>Line 2</p>')
  expect(isTruncated).toBe(true)
})

it('shows text as it is if rendering takes too long or nests too deep, and then renders the next text', async () => {
  const renderer = createRenderer(createTextCache(), 1000)
  const slow = '[a](<b'.repeat(15_000)
  const [hard, deep, easy] = await Promise.all([
    render(renderer, slow, 'slow'),
    render(renderer, `# One\n\n${'> '.repeat(20_000)}`, 'deep'),
    render(renderer, '*easy*', 'easy'),
  ])
  expect(hard.markup.slice(0, 50)).toBe('<pre class="plain" tabindex="0">[a](&lt;b[a](&lt;b')
  expect(deep.markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0"># One\n\n&')
  expect(deep.contents.entries).toEqual([{ id: 'one', title: 'One', level: 1, isLinked: false }])
  expect(easy.markup).toBe('<p><em>easy</em></p>')
  await renderer.close()
})

it('shows text as it is if rendering runs out of memory, and then renders the next text', async () => {
  // Rows are filled up with empty cells: five million in this table.
  const table = `${'|a'.repeat(1000)}\n${'|-'.repeat(1000)}\n${'|b\n'.repeat(5000)}`
  const { markup } = await render(shared, table, 'large')
  expect(markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0">|a|a|a|a')
  const after = await render(shared, '*small*', 'small')
  expect(after.markup).toBe('<p><em>small</em></p>')
})

const SLOW = '[a](<b'.repeat(15_000)
const MINUTES = 60_000
/** Cannot be sent to the process, whatever the text. */
const UNUSABLE = (() => 'title') as unknown as string

it.each([
  ['one that fails once', 60_000, ['*a*', '*a*'], [UNUSABLE, 'Title'], [1]],
  [
    'one that fails three times',
    60_000,
    ['a', 'a', 'a', 'a'],
    [UNUSABLE, UNUSABLE, UNUSABLE, 'Title'],
    [1, 2, 4],
  ],
  ['one that always takes too long', 100, [SLOW, SLOW, SLOW], [], [1, 2]],
  ['too much markup, which stays too much', 60_000, ['&'.repeat(300_000)], [], []],
])('keeps a failure for a minute, and twice as long after each more: %s', async (...given) => {
  const [, timeout, texts, titles, waits] = given
  let now = 7
  const renderer = createRenderer(createTextCache(), timeout, () => now)
  let loads = 0
  const see = async (): Promise<boolean> => {
    const title = titles[loads] ?? 'Title'
    const decoded = decodeBeginning(texts[loads] ?? 'never', '[DECODE]', 1_000_000)
    const beginning = { ...decoded, headings: [], headingCount: 0, introTokens: undefined, isWhole: true }
    const load = () => Promise.resolve((loads++, beginning))
    const { markup } = await renderer.render({ key: 'k', title, owner: 'o', load })
    return !markup.startsWith('<pre class="plain"')
  }
  const seen = [await see()]
  for (const [at, wait] of waits.entries()) {
    now += wait * MINUTES - 1
    expect([await see(), loads]).toEqual([false, at + 1])
    now += 1
    const both = await Promise.all([see(), see()])
    expect(both[0]).toBe(both[1])
    seen.push(both[0])
    expect(loads).toBe(at + 2)
  }
  const isRendered = titles.length > 0
  expect(seen).toEqual(seen.map((_, at) => isRendered && at === waits.length))
  if (isRendered || waits.length === 0) now += 1e9
  await see()
  expect(loads).toBe(texts.length)
  await renderer.close()
})

it('lists the headings of the whole text, and says which have an anchor', async () => {
  const content = '# Title\n\n## CT\n\ntext\n\n### More\n'
  const { contents, markup } = await render(shared, content, 'headings', 20)
  expect(contents).toEqual({
    entries: [
      { id: 'certificate-transparency', title: 'certificate transparency', level: 2, isLinked: true },
      { id: 'more', title: 'More', level: 3, isLinked: false },
    ],
    total: 2,
  })
  expect(markup).toContain('id="certificate-transparency"')
})

it('lists at most 200 headings', async () => {
  const many = Array.from({ length: 300 }, (_, at) => `# H${at}\n`).join('')
  const { contents } = await render(shared, many, 'many')
  expect([contents.entries.length, contents.total]).toEqual([200, 300])
  expect(contents.entries[199]).toEqual({ id: 'h199', title: 'H199', level: 1, isLinked: true })
})

it('renders eight texts of a network at a time, and those of other networks', async () => {
  const own = await Promise.all(Array.from({ length: 12 }, (_, at) => render(shared, '*a*', `a${at}`)))
  expect(own.map(({ markup }) => markup.includes('<em>'))).toEqual([
    ...Array<boolean>(8).fill(true),
    ...Array<boolean>(4).fill(false),
  ])
  const many = Array.from({ length: 12 }, (_, at) => render(shared, '*b*', `b${at}`))
  const other = await render(shared, '*c*', 'c', 100_000, '192.0.2.2')
  expect(other.markup).toBe('<p><em>c</em></p>')
  await Promise.all(many)
})
