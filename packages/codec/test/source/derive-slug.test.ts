import fc from 'fast-check'
import { expect, test } from 'vitest'
import { derivePathSlug } from '../../src/source/derive-slug.ts'
import { parseSource } from '../../src/source/parse-source.ts'

test.each([
  ['guide.md', 'docs', 'guide'],
  ['Guides/Getting started.mdx', 'docs', 'guides-getting-started'],
  ['a/b/c.markdown', 'docs', 'a-b-c'],
  ['guides/index.md', 'docs', 'guides'],
  ['guides/_index.md', 'docs', 'guides'],
  ['guides/README.md', 'docs', 'guides'],
  ['guides\\tls\\readme.md', 'docs', 'guides-tls'],
  ['index.md', 'My Docs', 'my-docs'],
  ['_index.md', 'docs', 'docs'],
  ['README.md', undefined, 'readme'],
  ['./guides/../tls.md', 'docs', 'guides-tls'],
  ['a b/c--d/_e_.md', 'docs', 'a-b-c-d-e'],
  ['Crème/brûlée.md', 'docs', 'creme-brulee'],
  ['download.md', 'docs', 'download-pack'],
  ['api/download.md', 'docs', 'api-download'],
  // printf 指南 | sha256sum
  ['指南/install.md', 'docs', 'pack-6eadeddb-install'],
  ['指南/index.md', 'docs', 'pack-6eadeddb'],
  ['v1.2/notes.txt', 'docs', 'v1-2-notes'],
])('the slug of %s in %s is %s', (path, folder, slug) => {
  expect(derivePathSlug(path, folder)).toBe(slug)
})

test('a slug over 100 characters is cut, and ends in a hash of the path', () => {
  const folder = 'x'.repeat(60)
  // printf "$(printf 'x%.0s' {1..60})/$(printf 'y%.0s' {1..60})" | sha256sum
  expect(derivePathSlug(`${folder}/${'y'.repeat(60)}.md`)).toBe(`${folder}-${'y'.repeat(30)}-4c2b9c85`)
  expect(derivePathSlug(`${'x'.repeat(100)}.md`)).toBe('x'.repeat(100))
  // No hyphen is doubled where the cut is at the end of a folder.
  expect(derivePathSlug(`${'x'.repeat(90)}/${'y'.repeat(60)}.md`)).toMatch(/^x{90}-[0-9a-f]{8}$/)
})

test('the slug of any path is valid', () => {
  const path = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(path, (parts) => {
      const slug = derivePathSlug(`${parts.join('/')}.md`, 'docs')
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(slug.length).toBeLessThanOrEqual(100)
    }),
  )
})

test('the title of a source without headings is the name of the folder of an _index', () => {
  expect(parseSource('text', { path: 'Guides/_index.md' }).source?.title).toBe('Guides')
})
