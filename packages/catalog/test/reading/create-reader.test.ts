import { getEnvironmentData } from 'node:worker_threads'
import { decode } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { splitSections } from '@packs/codec/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReader } from '@packs/catalog'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { startSqliteTests } from '../../../test-kit/test/test-database.ts'

const small = '# Redis\n\nA store of keys.\n\n## Expiration\n\nA key expires after its time to live.\n'
/** Larger than what is read in the thread of the caller. */
const large = `${small}\n${'## Walnuts\n\nTrees, elephants and giraffes.\n\n'.repeat(5000)}`

const database = await startSqliteTests()
const url = await database.createCatalog()
const catalog = await database.open(url)
await catalog.packs.commit([
  makeVersion({ slug: 'small', content: small }),
  makeVersion({ slug: 'large', content: large }),
  makeVersion({ slug: 'broken', content: small }),
  makeVersion({ slug: 'broken-large', content: large }),
])
await database.run(
  url,
  `update versions set document = cast(replace(cast(document as text), 'store', 'stare') as blob)
    where sequence > 2; delete from section_texts where sequence > 2`,
)
const open = createReader(catalog, 60_000)
closeLater(() => open.close())
const reader = open.accounts.sections

describe.each([
  ['a small document', 1, small],
  ['a large document, which a thread reads', 2, large],
])('%s', (_name, sequence, body) => {
  it('has its sections', async () => {
    const sections = splitSections(body)
    const all = await reader.page(sequence, 0, 100_000)
    expect(all).toMatchObject({ sections, total: sections.length, open: 0, preview: 0 })
    expect((await reader.page(sequence, 1, 1))?.sections).toMatchObject([sections[1]])
    expect((await reader.page(sequence, 100_000, 1))?.sections).toEqual([])
  })

  it('finds a section by its id, or the nearest ids', async () => {
    const [redis, expiration] = splitSections(body)
    expect(await reader.find(sequence, 'redis')).toMatchObject({ section: redis, nearest: [] })
    expect(await reader.find(sequence, 'Expirations')).toMatchObject({
      section: undefined,
      nearest: [expiration!.id],
    })
    expect((await reader.find(sequence, 'x'.repeat(10_000)))?.nearest).toEqual([])
  })

  it('is cut into slices that decode to their text', async () => {
    for (const section of splitSections(body).slice(0, 5)) {
      const { content, rosetta } = await reader.slice(sequence, section, 'full')
      expect(decode(content, rosetta)).toBe(body.slice(section.start, section.end))
    }
  })

  it('has its text as it was written, whole and in parts', async () => {
    const end = body.length
    expect(await reader.text(sequence, { start: 0, end }, 'full')).toMatchObject({ text: body, links: {} })
    expect((await reader.text(sequence, { start: 9, end: 25 }, 'full')).text).toBe('A store of keys.')
  })

  it.each([
    ['full', 'A key expires after its time to live.'],
    ['preview', null],
  ] as const)('gives snippets to who may see the text: %s', async (scope, snippet) => {
    const { hits, damaged } = await reader.search({ text: 'expire', limit: 10, offset: 0, scope })
    const hit = hits.find(({ pack }) => pack.sequence === sequence)
    expect([hit?.section?.id, hit?.snippet, hit?.pack.sections]).toEqual(['expiration', snippet, []])
    // Nothing is read of a pack that the reader may not see.
    expect(damaged.map(({ slug }) => slug).toSorted()).toEqual(
      snippet === null ? [] : ['broken', 'broken-large'],
    )
  })

  it.each(['slice', 'text'] as const)('gives no %s beyond the preview', async (kind) => {
    const part = reader[kind](sequence, { start: 0, end: 5 }, 'preview')
    await expect(part).rejects.toMatchObject({ name: 'RangeError' })
  })
})

it.each([
  ['broken', 3],
  ['broken-large', 4],
])('a damaged document is an error that names its version: %s', async (slug, sequence) => {
  const error = { code: 'catalog_damaged', damaged: { slug, version: '1.0.0' } }
  await expect(reader.slice(sequence, { start: 0, end: 1 }, 'full')).rejects.toMatchObject(error)
})

it('a search reads the texts of sections, not the documents', async () => {
  const other = await database.createCatalog()
  const changed = await database.open(other)
  await changed.packs.commit([
    makeVersion({ slug: 'a', content: small }),
    makeVersion({ slug: 'b', content: large }),
  ])
  await database.run(other, `update versions set document = cast('broken' as blob)`)
  const reading = createReader(changed, 60_000)
  onTestFinished(() => reading.close())
  const { sections } = reading.accounts
  const { hits, damaged } = await sections.search({ text: 'expire', limit: 10, offset: 0, scope: 'full' })
  const snippet = 'A key expires after its time to live.'
  expect([hits.map((hit) => hit.snippet), damaged]).toEqual([[snippet, snippet], []])
  const phrase = await sections.search({ text: '"to live"', limit: 10, offset: 0, scope: 'preview' })
  expect(phrase.hits).toEqual([])
  const query = {
    text: 'When does a key expire?',
    budget: 500,
    tokenizer: 'o200k_base',
    scope: 'full',
  } as const
  expect((await sections.context(query)).text).toContain(snippet)
  expect((await sections.context({ ...query, scope: 'preview' })).text).not.toContain(snippet)
})

it('an outline that does not fit its document is damage', async () => {
  const other = await database.createCatalog()
  const changed = await database.open(other)
  await changed.packs.commit([
    makeVersion({ slug: 'a', content: small }),
    makeVersion({ slug: 'b', content: '# Other\n' }),
  ])
  await database.run(other, 'update outlines set data = (select data from outlines where sequence = 2)')
  const reading = createReader(changed, 60_000).accounts.sections
  await expect(reading.slice(1, { start: 0, end: 1 }, 'full')).rejects.toMatchObject({
    code: 'catalog_damaged',
    damaged: { slug: 'a', version: '1.0.0' },
  })
})

it('an unknown version has no outline', async () => {
  expect(await reader.page(99, 0, 1)).toBeUndefined()
  expect(await reader.find(99, 'redis')).toBeUndefined()
})

it('shares the tables of the tokenizer with the threads', async () => {
  await open.accounts.sections.slice(2, { start: 0, end: 5 }, 'full')
  const shared = getEnvironmentData('vocabulary of o200k_base') as unknown as Uint8Array
  expect(shared.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(Buffer.compare(shared, (await loadTokenizer('o200k_base')).serializeVocabulary())).toBe(0)
})
