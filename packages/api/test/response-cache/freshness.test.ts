import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openCatalog } from '@packs/catalog'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCallerFinder } from '../../src/hooks/caller.ts'
import { createPackFinder } from '../../src/response-cache/body.ts'
import { makePack } from '../sample-packs.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const open = async (): Promise<Awaited<ReturnType<typeof openCatalog>>> => {
  const catalog = await openCatalog({ url: ':memory:' })
  onTestFinished(() => catalog.close())
  return catalog
}

describe('cached reads of the catalog', () => {
  it('are dropped when the catalog changes', async () => {
    const catalog = await open()
    await catalog.packs.commit([makePack({ slug: 'a' })])
    const finder = createPackFinder(catalog)
    expect((await finder.findLatest('a', 1))?.version).toBe('1.0.0')
    await catalog.packs.commit([makePack({ slug: 'a', version: '1.1.0', parent: '1.0.0' })])
    expect(finder.peekLatest('a', 1)?.version).toBe('1.0.0')
    expect(finder.peekLatest('a', 2)).toBeUndefined()
    expect((await finder.findLatest('a', 2))?.version).toBe('1.1.0')
  })

  it('are never older than the sequence of the request', async () => {
    const catalog = await open()
    await catalog.packs.commit([makePack({ slug: 'a' })])
    const finder = createPackFinder(catalog)
    const early = finder.findLatest('a', 1)
    await finder.findLatest('b', 2)
    await early
    expect(finder.peekLatest('a', 2)).toBeUndefined()
  })

  it('contain no texts, so that many packs use little memory', async () => {
    const catalog = await open()
    const text = { preview_content: 'x'.repeat(1_000_000) }
    const versions = Array.from({ length: 30 }, (_, at) => makePack({ slug: `pack-${at}` }, text))
    await catalog.packs.commit(versions)
    const finder = createPackFinder(catalog)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().arrayBuffers
    for (const { pack } of versions) await finder.findLatest(pack.slug, 30)
    // Another thread frees collected buffers a little later.
    await vi.waitFor(
      () => {
        collect()
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
      },
      { timeout: 60_000 },
    )
    expect(finder.peekLatest('pack-0', 30)?.version).toBe('1.0.0')
  })

  it('keep keys for half a second, and not after the clock is set back', async () => {
    const catalog = await open()
    const now = new Date('2026-03-01T12:00:00.000Z')
    const { account } = await catalog.accounts.createClaimed(
      { email: 'a@example.org', tier: 'free', daily: null, actor },
      now,
    )
    const { key, row } = await catalog.keys.create({ accountId: account.id, name: 'a', actor }, now)
    let date = now
    const read = createCallerFinder(catalog, () => date)
    expect(read(key)).toBeInstanceOf(Promise)
    expect((await read(key))?.account.id).toBe(account.id)
    await catalog.keys.revoke(row.id, actor, now)
    date = new Date('2026-03-01T12:00:00.499Z')
    expect(read(key)).not.toBeInstanceOf(Promise)
    date = new Date('2026-03-01T11:00:00.000Z')
    expect(await read(key)).toBeUndefined()
    date = new Date('2026-03-01T12:00:00.500Z')
    expect(await read(key)).toBeUndefined()
  })
})
