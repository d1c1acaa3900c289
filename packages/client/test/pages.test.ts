import { describe, expect, it } from 'vitest'
import { startApi } from '../../test-kit/test/start-api.ts'
import { makeVersion, actor } from '../../test-kit/test/make-version.ts'
import { createClient, type DownloadEntry, openDocs } from '../src/index.ts'
import { collect } from './collect.ts'

const slugs = Array.from({ length: 130 }, (_, index) => `pack-${String(index).padStart(3, '0')}`)
/** The order of publication, which is that of a download; a list is ordered by title. */
const published = slugs.toReversed()

const api = await startApi({ versions: published.map((slug) => makeVersion({ slug })) })
const options = { url: `http://127.0.0.1:${api.port}`, key: api.pro.key }
const client = createClient(options)
const docs = await openDocs(options)

function readSlug(entry: DownloadEntry): string {
  return entry.kind === 'pack' ? entry.pack.slug : entry.slug
}

describe('pages', () => {
  it('of a list are read one after another', async () => {
    const listed = await collect(client.packs.list())
    expect(listed.map(({ slug }) => slug)).toEqual(slugs)
  })

  it('of a search end at the limit', async () => {
    expect((await docs.search('pack', { limit: 70 })).sections).toHaveLength(70)
    expect((await docs.search('pack', { limit: 200 })).sections.length).toBeGreaterThanOrEqual(130)
    await expect(docs.search('pack', { limit: 0 })).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('of a download go on from the cursor of any entry, and then return what changed', async () => {
    const entries = await collect(client.packs.download())
    expect(entries.map(readSlug)).toEqual(published)
    const resume = async (at: number): Promise<readonly string[]> =>
      (await collect(client.packs.download({ cursor: entries.at(at)!.cursor }))).map(readSlug)
    expect(await resume(5)).toEqual(published)
    expect(await resume(99)).toEqual(published.slice(100))
    expect(await resume(110)).toEqual(published.slice(100))
    expect(await resume(-1)).toEqual([])
    await api.catalog.packs.commit([makeVersion({ slug: 'pack-007', version: '1.0.1', parent: '1.0.0' })])
    expect(await resume(-1)).toEqual(['pack-007'])
  })

  it('name what was withdrawn, which only an exact version still gets', async () => {
    const [last] = (await collect(client.packs.download())).slice(-1)
    await api.catalog.packs.yank('pack-007', '1.0.1', 'wrong', actor)
    await api.catalog.packs.yank('pack-008', '1.0.0', 'wrong', actor)
    const changes = await collect(client.packs.download({ cursor: last!.cursor }))
    expect(changes.map((entry) => `${entry.kind} ${readSlug(entry)}`)).toEqual([
      'pack pack-007',
      'removed pack-008',
    ])
    expect(await client.packs.get('pack-007@^1')).toMatchObject({ version: '1.0.0' })
    expect(await client.packs.get('pack-007@1.0.1')).toMatchObject({ version: '1.0.1' })
    await expect(client.packs.get('pack-008@^1')).rejects.toMatchObject({ code: 'no_matching_version' })
  })
})
