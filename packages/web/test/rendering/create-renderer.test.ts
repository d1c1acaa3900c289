import { decode } from '@packs/codec'
import { splitSections } from '@packs/codec/internal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { divideText, listContents, writePart } from '../../src/documents/divide-text.ts'
import { listHeadings, type TextPart } from '../../src/documents/read-document.ts'
import { createTextCache } from '../../src/documents/create-document-reader.ts'
import { createRenderer, type Renderer, type Rendering } from '../../src/rendering/create-renderer.ts'

let shared: Renderer
beforeAll(() => {
  shared = createRenderer(createTextCache(2 ** 26), 60_000)
})
afterAll(() => shared.close())

const rosetta = '[DECODE] CT=certificate <b>transparency</b>'

/** A part of a text, of which a reader sees only the first `length` characters. */
function cutPart(content: string, number = 1, length = Infinity): TextPart {
  const body = decode(content, rosetta)
  const sections = splitSections(body).map((section) => ({ ...section, tokens: 5, subtreeTokens: 5 }))
  const text = body.slice(0, length)
  const cuts = divideText(text)
  const { start, end, before } = cuts[number - 1]!
  const written = writePart(text, cuts, number - 1, length === Infinity)
  const own = sections.filter((section) => section.start >= start && section.start < end)
  return {
    text: written,
    headings: listHeadings(own, written, Infinity, start - before.length),
    contents: listContents(sections, cuts[number - 1]!, text.length),
    headingCount: sections.filter(({ level }) => level > 0).length,
    otherIds: sections.map(({ id }) => id),
    isWhole: length === Infinity,
    number,
    count: cuts.length,
    asked: undefined,
  }
}

function render(
  renderer: Renderer,
  part: string | TextPart,
  key: string,
  owner = '192.0.2.1',
): Promise<Rendering> {
  const page = typeof part === 'string' ? cutPart(part) : part
  return renderer.render({ key, title: 'Title', owner, load: () => Promise.resolve(page) })
}

it('decodes before it renders, so that markup in an expansion is shown as text', async () => {
  const { markup } = await render(shared, 'Logs of CT.', 'logs')
  expect(markup).toBe('<p>Logs of certificate &#x3C;b>transparency&#x3C;/b>.</p>')
})

const SECTION = `${'Words of a long text. '.repeat(900)}\n\nSee [the list][list] and [the first](#part-0).\n\n`
const LONG = `${Array.from({ length: 12 }, (_, at) => `## Part ${at}\n\n${SECTION}`).join('')}[list]: https://example.org/list\n`

it('divides a long text at headings, and links over parts', async () => {
  const { count } = cutPart(LONG)
  const parts = Array.from({ length: count }, (_, at) => cutPart(LONG, at + 1))
  expect(count).toBeGreaterThan(3)
  expect(parts.every(({ text }) => text.startsWith('## Part ') && text.length < 62_000)).toBe(true)
  expect(parts.flatMap(({ headings }) => headings.map(({ title }) => title))).toEqual(
    Array.from({ length: 12 }, (_, at) => `Part ${at}`),
  )
  const { markup, contents } = await render(shared, parts[1]!, 'second')
  expect(markup).toContain('<a href="https://example.org/list" rel="nofollow noopener">the list</a>')
  expect(markup).toContain('<a href="?section=part-0#part-0">the first</a>')
  expect(contents.entries.map(({ place }) => place === 'here')).toEqual(
    contents.entries.map(({ id }) => markup.includes(`id="${id}"`)),
  )
})

it.each([
  ['one line', 'Words of one line. '.repeat(12_000)],
  ['one word', '\u{1F600}'.repeat(60_000)],
  ['a code block', `\`\`\`js\n${'const a = 1\n\n'.repeat(12_000)}\`\`\`\n\nAfter it.\n`],
  ['a list', '- An item of a list\n'.repeat(8000)],
])('divides a text without headings: %s', (_name, text) => {
  const cuts = divideText(text)
  expect(cuts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
  expect(cuts.every(({ start, end }) => end - start <= 60_000 && text.slice(start, end).isWellFormed())).toBe(
    true,
  )
  const code = cuts.map((_, at) => writePart(text, cuts, at, true).match(/^```/gm)?.length ?? 0)
  expect(new Set(code)).toEqual(new Set([text.startsWith('```') ? 2 : 0]))
})

it('shows only the text of links that are defined beyond a preview', async () => {
  const content = 'An [EventEmitter][emitter], [`code`][c] and [x][], not [y].\n\n## Later\n\n[emitter]: /e\n'
  const { markup, contents } = await render(
    shared,
    cutPart(content, 1, content.indexOf('## Later')),
    'preview',
  )
  expect(markup).toBe('<p>An EventEmitter, <code>code</code> and x, not [y].</p>')
  expect(contents.entries).toEqual([{ id: 'later', title: 'Later', level: 2, place: 'locked' }])
})

it('shows text as it is if rendering takes too long or nests too deep, and then renders the next text', async () => {
  const renderer = createRenderer(createTextCache(2 ** 26), 1000)
  const slow = '[a](<b'.repeat(15_000)
  const [hard, deep, easy] = await Promise.all([
    render(renderer, slow, 'slow'),
    render(renderer, `# One\n\n${'> '.repeat(20_000)}`, 'deep'),
    render(renderer, '*easy*', 'easy'),
  ])
  expect(hard.markup.slice(0, 50)).toBe('<pre class="plain" tabindex="0">[a](&lt;b[a](&lt;b')
  expect(deep.markup.slice(0, 40)).toBe('<pre class="plain" tabindex="0"># One\n\n&')
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
  const renderer = createRenderer(createTextCache(2 ** 26), timeout, () => now)
  let loads = 0
  const see = async (): Promise<boolean> => {
    const title = titles[loads] ?? 'Title'
    const page = { ...cutPart(''), text: texts[loads] ?? 'never' }
    const load = () => Promise.resolve((loads++, page))
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

it('lists at most 600 headings: those of the part, and of others as many as fit, high levels first', async () => {
  const section = (at: number): string =>
    `${'#'.repeat(at % 20 === 0 ? 2 : 3)} H${at}\n\n${'Words. '.repeat(60)}\n\n`
  const many = `# Title\n\n${Array.from({ length: 1500 }, (_, at) => section(at)).join('')}`
  const { contents } = await render(shared, cutPart(many, 2), 'many')
  const count = (place: string, level: number): number =>
    contents.entries.filter((entry) => entry.place === place && entry.level === level).length
  expect(contents.total).toBe(1501)
  expect(count('here', 2) + count('elsewhere', 2)).toBe(75)
  expect(count('here', 3)).toBeGreaterThan(90)
  expect(contents.entries).toHaveLength(600)
  const flat = cutPart('# H\n\n'.repeat(50_000), 3)
  expect(flat.contents).toHaveLength(600)
})

it('renders eight texts of a network at a time, and those of other networks', async () => {
  const own = await Promise.all(Array.from({ length: 12 }, (_, at) => render(shared, '*a*', `a${at}`)))
  expect(own.map(({ markup }) => markup.includes('<em>'))).toEqual([
    ...Array<boolean>(8).fill(true),
    ...Array<boolean>(4).fill(false),
  ])
  const many = Array.from({ length: 12 }, (_, at) => render(shared, '*b*', `b${at}`))
  const other = await render(shared, '*c*', 'c', '192.0.2.2')
  expect(other.markup).toBe('<p><em>c</em></p>')
  await Promise.all(many)
})
