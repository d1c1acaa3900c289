import { describe, expect, test } from 'vitest'
import type { PromptDocument } from '../../src/prompt/types.ts'
import { writeTitle } from '../../src/prompt/read-packs.ts'

/** A pack document whose front matter states its title. */
const stated = (title: string, line: string): Partial<PromptDocument> => ({
  format: 'packs/1',
  title,
  front_matter: `---\n${line}\n---\n`,
})

test('a title is above the body as a heading, and the description follows', () => {
  const pack = { title: 'TLS basics', description: 'How certificates work.' }
  expect(writeTitle(pack, 'Some text.')).toBe('# TLS basics\n\nHow certificates work.\n\n')
  expect(writeTitle({ title: 'TLS basics' }, 'Some text.')).toBe('# TLS basics\n\n')
})

test('both are one line each', () => {
  expect(writeTitle({ title: ' TLS\r\nbasics', description: 'One\n\n# two' }, '')).toBe(
    '# TLS basics\n\nOne # two\n\n',
  )
})

describe('the author of a pack document states a title in', () => {
  test.each([
    ['YAML', 'TLS basics', 'title: TLS basics'],
    ['quotes', 'It’s "TLS"', `title: 'It’s "TLS"'`],
    ['doubled quotes', "It's TLS", "title: 'It''s TLS'"],
    ['a folded text', 'TLS basics', 'title: >-\n  TLS\n  basics'],
    ['capitals', 'TLS basics', 'weight: 1\nTitle: TLS basics'],
    ['a map of packs', 'TLS basics', 'pack:\n  title: TLS basics'],
    ['TOML', 'TLS basics', 'title = "TLS basics"'],
    ['JSON', 'TLS basics', '{ "id": "x", "title": "TLS basics" }'],
  ])('%s', (_, title, line) => {
    expect(writeTitle(stated(title, line), 'Text.')).toBe(`# ${title}\n\n`)
  })

  test.each([
    ['other keys', 'slug: tls-basics\nid: tls-basics'],
    ['another title', 'title: TLS for experts'],
  ])('not in %s', (_, line) => {
    expect(writeTitle(stated('tls-basics', line), 'Text.')).toBe('')
  })

  test('nothing without front matter', () => {
    expect(writeTitle({ format: 'packs/1', title: 'TLS', description: 'Text.' }, 'Text.')).toBe('')
  })
})

describe('no title is above a body that begins with it:', () => {
  test.each([
    ['a heading', '# TLS basics\n\nText.'],
    ['a heading after blank lines', '\uFEFF\n\n  ## TLS basics ##\n'],
    ['an underlined heading', 'TLS basics\n==========\n'],
    ['markup in a heading', '# **TLS** `basics`\n'],
    ['a link in a heading', '# [TLS](https://tls.example/) basics\n'],
    ['an id of a heading', '# TLS basics {#top}\n'],
    ['a tag in a heading', '# TLS basics <Badge type="tip" text="new" />\n'],
    ['other spaces and case', '# tls  Basics\n'],
    ['a heading after imports', "import Tabs from '@theme/Tabs'\n\n# TLS basics\n"],
    ['a heading of HTML', '<h1 align="center">TLS basics</h1>\n'],
  ])('%s', (_, body) => {
    expect(writeTitle({ title: 'TLS basics' }, body)).toBe('')
  })

  test.each([
    ['another heading', '# Certificates\n\nTLS basics\n'],
    ['a text', 'TLS basics are simple.\n'],
    ['a later heading', '# Certificates\n\n# TLS basics\n'],
    ['nothing', ''],
  ])('but above %s', (_, body) => {
    expect(writeTitle({ title: 'TLS basics' }, body)).toBe('# TLS basics\n\n')
  })
})

test('tags that are a part of the title are compared too', () => {
  expect(writeTitle({ title: 'Vec<T>' }, '# Vec<T>\n')).toBe('')
})

test.each([
  ['tags', '<'],
  ['links', ']('],
  ['ids', '{#'],
  ['quotes', '"title'],
])('takes bounded time for many %s', (_, part) => {
  const many = part.repeat(200_000)
  expect(writeTitle({ format: 'packs/1', title: 'TLS', front_matter: many }, `# ${many}`)).toBe('')
  expect(writeTitle({ title: 'TLS' }, `# ${many}`)).toBe('# TLS\n\n')
})
