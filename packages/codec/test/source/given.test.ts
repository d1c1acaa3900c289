import { expect, test } from 'vitest'
import { type GivenFields, parseSource, type Source } from '../../src/source/index.ts'

const parse = (text: string, given: GivenFields): Source => {
  const { source } = parseSource(text, { path: 'docs/a.md', given })
  if (source === undefined) throw new Error('there is no source')
  return source
}

test('given values fill what the file leaves out, and are not assumed', () => {
  const given: GivenFields = {
    slug: 'docs-a',
    title: 'Given',
    domain: 'Given domain',
    subdomain: 'Given subdomain',
    difficulty: 'expert',
    compression: 'none',
    budget: 9,
  }
  expect(parse('# Heading', given)).toMatchObject({
    ...given,
    domainSlug: 'given-domain',
    assumed: [],
    given,
  })
})

test('the file wins, and only the values that took effect are listed', () => {
  const given: GivenFields = { slug: 'given', title: 'Given', domain: 'Given', compression: 'none' }
  const source = parse('---\nslug: own\npack: {title: Own}\ncompression: max-1\n---\n', given)
  expect(source).toMatchObject({ slug: 'own', title: 'Own', domain: 'Given', compression: 'max-1' })
  expect(source.given).toEqual({ domain: 'Given' })
  expect(source.assumed).toEqual(['subdomain', 'difficulty'])
})

test('a slug of another tool does not override the given one', () => {
  expect(parse('---\nslug: /guides/x\n---\n', { slug: 'guides-x' })).toMatchObject({
    slug: 'guides-x',
    given: { slug: 'guides-x' },
    metadata: { slug: '/guides/x' },
  })
})

test('nothing is listed if nothing took effect', () => {
  expect(parse('---\nslug: own\n---\n', { slug: 'given' })).not.toHaveProperty('given')
  expect(parse('text', {})).not.toHaveProperty('given')
  expect(parse('text', { glossary: [], frontMatterMap: { title: 'name' } })).not.toHaveProperty('given')
})

test('glossaries are joined, and the file wins for its phrases and its terms', () => {
  const source = parse(
    '---\nglossary:\n  - {expansion: one phrase, term: OP}\n  - {expansion: two phrase, never: true}\n---\n',
    {
      glossary: [
        { expansion: 'one phrase', term: 'GIVEN' },
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
  expect(source.given).toEqual({ glossary: [{ expansion: 'new phrase', term: 'NP' }] })
})

test('a map reads a field from another key, or drops a key', () => {
  const map = { title: 'name', weight: false, description: 'summary', domain: 'section' } as const
  const source = parse('---\nname: Named\ntitle: Other\nweight: 5\nsummary: Short.\nicon: x\n---\n', {
    frontMatterMap: map,
  })
  expect(source).toMatchObject({ title: 'Named', description: 'Short.', domain: 'General' })
  expect(source.metadata).toEqual({ title: 'Other', icon: 'x' })
  expect(source.given).toEqual({
    frontMatterMap: { title: 'name', weight: false, description: 'summary' },
  })
  expect(source.places.get('title')).toEqual({ line: 2, column: 7 })
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
  expect(source).not.toHaveProperty('given')
})

test('a dropped key of ours is not read', () => {
  const source = parse('---\ntitle: Site | Page\n---\n# Page\n', { frontMatterMap: { title: false } })
  expect(source.title).toBe('Page')
  expect(source).not.toHaveProperty('metadata')
})

test('the listed values alone give the same source again', () => {
  const text = '---\nname: Named\nslug: own\nweight: 1\n---\nBody.'
  const given: GivenFields = {
    slug: 'given',
    domain: 'Given',
    glossary: [{ expansion: 'a phrase' }],
    frontMatterMap: { title: 'name', weight: false, tags: 'keywords' },
  }
  const source = parse(text, given)
  expect(parse(text, source.given ?? {})).toEqual(source)
})
