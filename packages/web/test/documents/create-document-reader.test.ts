import { createReader, openCatalog, type Catalog, type VersionRecord } from '@packs/catalog'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDocumentReader, createTextCache } from '../../src/documents/create-document-reader.ts'
import { makePack } from '../make-pack.ts'
import { startSite } from '../start-site.ts'

const makeRecord = (sequence: number): VersionRecord =>
  ({
    sequence,
    slug: 'pack',
    version: '1.0.0',
    pack_digest: String(sequence),
    signatures: [],
  }) as unknown as VersionRecord

describe('a reader of documents', () => {
  let catalog: Catalog
  beforeEach(async () => {
    catalog = await openCatalog({ url: ':memory:' })
  })
  afterEach(() => catalog.close())

  it('reads large documents for networks in turn, and refuses a network that asks for too many', async () => {
    const begun: number[] = []
    const ends = new Map<number, () => void>()
    vi.spyOn(catalog.packs, 'read').mockImplementation((sequence) => {
      begun.push(sequence)
      return new Promise((_resolve, reject) => ends.set(sequence, () => reject(new Error('ended'))))
    })
    const reader = createDocumentReader(createReader(catalog).visitors.documents, createTextCache(2 ** 26))
    const read = (sequence: number, owner: string, bytes = 1_000_000): Promise<unknown> =>
      reader
        .read({ version: { ...makeRecord(sequence), bytes }, part: 'text', scope: 'full', owner })
        .catch((error: unknown) => error)
    const own = Array.from({ length: 16 }, (_, at) => read(at + 1, '192.0.2.1'))
    expect(await read(50, '192.0.2.1')).toMatchObject({ code: 'too_many_at_once' })
    const other = read(100, '192.0.2.2')
    expect(begun).toEqual([1])
    const small = read(200, '192.0.2.1', 1000)
    expect(begun).toEqual([1, 200])
    for (const sequence of [200, 1]) ends.get(sequence)!()
    await Promise.all([small, own[0]])
    expect(begun).toEqual([1, 200, 2])
    ends.get(2)!()
    await own[1]
    expect(begun).toEqual([1, 200, 2, 100])
    ends.get(100)!()
    await other
    for (let sequence = 3; sequence <= 16; sequence += 1) {
      ends.get(sequence)!()
      await own[sequence - 1]
    }
  })
})

describe('the texts of a pack', () => {
  /** A site with one pack, and the number of times that its document was read. */
  async function start() {
    const read = { count: 0 }
    const site = await startSite(
      [makePack({ slug: 'a', content: 'Some text.\n' })],
      undefined,
      (catalog) => ({
        ...catalog,
        packs: {
          ...catalog.packs,
          read: (sequence) => {
            read.count += 1
            return catalog.packs.read(sequence)
          },
        },
      }),
    )
    await site.setMode('recovery')
    return { site, read }
  }

  it.each([
    ['/browse/a', 'text/markdown'],
    ['/browse/a.md', '*/*'],
    ['/browse/a.pack.json', '*/*'],
    ['/browse/a', 'text/html'],
  ])('are read once: %s as %s', async (path, accept) => {
    const { site, read } = await start()
    const [first, second] = [
      await site.visit(path, { headers: { accept } }),
      await site.visit(path, { headers: { accept } }),
    ]
    expect([first.statusCode, second.body]).toEqual([200, first.body])
    expect(read.count).toBe(1)
  })

  it('are not read for a client that has them', async () => {
    const first = await start()
    const second = await start()
    for (const [path, accept] of [
      ['/browse/a', 'text/markdown'],
      ['/browse/a.md', '*/*'],
      ['/browse/a.pack.json', '*/*'],
    ] as const) {
      const { headers } = await first.site.visit(path, { headers: { accept } })
      const known = { accept, 'if-none-match': String(headers['etag']) }
      expect((await second.site.visit(path, { headers: known })).statusCode).toBe(304)
    }
    expect(second.read.count).toBe(0)
  })

  it('have a tag for each part and each scope', async () => {
    const { site } = await start()
    const tags = []
    for (const mode of ['recovery', 'online'] as const) {
      await site.setMode(mode)
      for (const path of ['/browse/a', '/browse/a.md'])
        tags.push((await site.visit(path, { headers: { accept: 'text/markdown' } })).headers['etag'])
    }
    expect(new Set(tags).size).toBe(4)
  })
})
