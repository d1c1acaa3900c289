import { expect, test } from 'vitest'
import { parseSource } from '../../src/pack.ts'
import type { SourceDefaults, Source } from '../../src/source/types.ts'

const parse = (text: string, defaults: SourceDefaults): Source => {
  const { source } = parseSource(text, { path: 'docs/a.md', defaults })
  if (source === undefined) throw new Error('there is no source')
  return source
}

test('defaults fill what the file omits, and are not assumed', () => {
  const defaults: SourceDefaults = {
    slug: 'docs-a',
    title: 'Given',
    domain: 'Given domain',
    subdomain: 'Given subdomain',
    difficulty: 'expert',
    compression: 'none',
    budget: 9,
    minify: { dialect: ['vault'], off: ['wraps'] },
    url: 'https://example.com/docs/a',
  }
  expect(parse('# Heading', defaults)).toMatchObject({
    ...defaults,
    domainSlug: 'given-domain',
    assumed: [],
    defaults,
  })
})

test('the file wins, and only the values that took effect are listed', () => {
  const defaults: SourceDefaults = { slug: 'defaults', title: 'Given', domain: 'Given', compression: 'none' }
  const source = parse('---\nslug: own\npack: {title: Own}\ncompression: max-2\n---\n', defaults)
  expect(source).toMatchObject({ slug: 'own', title: 'Own', domain: 'Given', compression: 'max-2' })
  expect(source.defaults).toEqual({ domain: 'Given' })
  expect(source.assumed).toEqual(['subdomain', 'difficulty'])
})

test('a slug of another tool does not override the default one', () => {
  expect(parse('---\nslug: /guides/x\n---\n', { slug: 'guides-x' })).toMatchObject({
    slug: 'guides-x',
    defaults: { slug: 'guides-x' },
    metadata: { slug: '/guides/x' },
  })
})

test('nothing is listed if nothing took effect', () => {
  expect(parse('---\nslug: own\n---\n', { slug: 'defaults' })).not.toHaveProperty('defaults')
  expect(parse('text', {})).not.toHaveProperty('defaults')
  expect(parse('text', { glossary: [], frontMatterMap: { title: 'name' } })).not.toHaveProperty('defaults')
})

test('glossaries are joined, and the file wins for its phrases and its terms', () => {
  const source = parse(
    '---\nglossary:\n  - {expansion: one phrase, term: OP}\n  - {expansion: two phrase, never: true}\n---\n',
    {
      glossary: [
        { expansion: 'one phrase', term: 'DEFAULTS' },
        { expansion: 'two phrase', term: 'TP' },
        { expansion: 'other phrase', term: 'OP' },
        { expansion: 'new phrase', term: 'NP' },
      ],
    },
  )
  expect(source.glossary).toEqual([
    { expansion: 'one phrase', term: 'OP' },
    { expansion: 'two phrase', never: true },
    { expansion: 'new phrase', term: 'NP' },
  ])
  expect(source.defaults).toEqual({ glossary: [{ expansion: 'new phrase', term: 'NP' }] })
})

test('a map reads a field from another key, or drops a key', () => {
  const map = { title: 'name', weight: false, description: 'summary', domain: 'section' } as const
  const source = parse('---\nname: Named\ntitle: Other\nweight: 5\nsummary: Short.\nicon: x\n---\n', {
    frontMatterMap: map,
  })
  expect(source).toMatchObject({ title: 'Named', description: 'Short.', domain: 'General' })
  expect(source.metadata).toEqual({ title: 'Other', icon: 'x' })
  expect(source.defaults).toEqual({
    frontMatterMap: { title: 'name', weight: false, description: 'summary' },
  })
  expect(source.positions.get('title')).toEqual({ line: 2, column: 7 })
})

test('a field is read from its own key if the file does not have the mapped one', () => {
  expect(parse('---\ntitle: Own\n---\n', { frontMatterMap: { title: 'name' } })).toMatchObject({
    title: 'Own',
  })
})

test('a value under pack: is before a mapped one', () => {
  const source = parse('---\nname: Named\npack: {title: Packed}\n---\n', {
    frontMatterMap: { title: 'name' },
  })
  expect(source).toMatchObject({ title: 'Packed', metadata: { name: 'Named' } })
  expect(source).not.toHaveProperty('defaults')
})

test('a dropped key of ours is not read', () => {
  const source = parse('---\ntitle: Site | Page\n---\n# Page\n', { frontMatterMap: { title: false } })
  expect(source.title).toBe('Page')
  expect(source).not.toHaveProperty('metadata')
})

test('the listed values alone give the same source again', () => {
  const text = '---\nname: Named\nslug: own\nweight: 1\n---\nBody.'
  const defaults: SourceDefaults = {
    slug: 'defaults',
    domain: 'Given',
    glossary: [{ expansion: 'a phrase' }],
    frontMatterMap: { title: 'name', weight: false, tags: 'keywords' },
  }
  const source = parse(text, defaults)
  expect(parse(text, source.defaults ?? {})).toEqual(source)
})
