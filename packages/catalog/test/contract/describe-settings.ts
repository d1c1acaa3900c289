import type { NewJob } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

export function describeSettings(context: CatalogContext): void {
  describe('SettingStore', () => {
    it('starts online and keeps the time of the last switch', async () => {
      let hour = 8
      const now = (): Date => new Date(Date.UTC(2026, 2, 1, hour))
      const { settings } = await context.database.open(await context.database.create(), { now })
      hour = 9
      const online = { mode: 'online', since: '2026-03-01T08:00:00.000Z', message: null, retry_after: null }
      expect(await settings.mode()).toEqual(online)
      const recovery = await settings.setMode('recovery', { message: 'Back at ten', retryAfter: 3600, actor })
      hour = 10
      expect(await settings.mode()).toEqual(recovery)
      expect(recovery).toMatchObject({
        since: '2026-03-01T09:00:00.000Z',
        message: 'Back at ten',
        retry_after: 3600,
      })
      expect(await settings.setMode('recovery', { actor })).toEqual(recovery)
      expect(await settings.setMode('online', { actor })).toMatchObject({ since: '2026-03-01T10:00:00.000Z' })
    })

    it('creates a secret once, also for concurrent first callers', async () => {
      const other = await context.database.open(context.url)
      const secrets = [context.catalog, other, context.catalog, other].map(({ settings }) =>
        settings.secret('cursor'),
      )
      const [first, ...others] = (await Promise.all(secrets)).map((secret) =>
        Buffer.from(secret).toString('hex'),
      )
      expect(first).toMatch(/^[0-9a-f]{64}$/)
      expect(others).toEqual([first, first, first])
      expect(Buffer.from(await other.settings.secret('session')).toString('hex')).not.toBe(first)
    })
  })

  describe('JobStore and SourceStore', () => {
    it('keep jobs for a week, one that waits for 30 days, newest first', async () => {
      let day = 1
      const now = (): Date => new Date(Date.UTC(2026, 2, day))
      const { jobs } = await context.database.open(await context.database.create(), { now })
      await jobs.accept([], () => [makeJob('one'), makeJob('two'), makeJob('wait')])
      day = 2
      await jobs.finish('two', { state: 'completed', error: null, result: '{}' })
      day = 3
      await jobs.finish('one', { state: 'failed', error: 'nul \0', result: null })
      expect(await jobs.get('one')).toEqual({
        ...makeJob('one'),
        state: 'failed',
        progress: 0,
        error: 'nul \uFFFD',
        updated_at: '2026-03-03T00:00:00.000Z',
        owner: null,
        sequence: 1,
        result: null,
      })
      expect((await jobs.list(5)).map(({ id }) => id)).toEqual(['one', 'two', 'wait'])
      expect((await jobs.list(1)).map(({ id }) => id)).toEqual(['one'])
      day = 10
      await jobs.accept([], () => [makeJob('three')])
      expect((await jobs.list(5)).map(({ id }) => id)).toEqual(['three', 'one', 'wait'])
      expect(await jobs.get('two')).toBeUndefined()
      day = 32
      await jobs.accept([], () => [])
      expect(await jobs.get('wait')).toBeUndefined()
    })

    it('never reopen a completed job, unless it is accepted again', async () => {
      const { jobs } = context.catalog
      await jobs.accept([], () => [makeJob('one')])
      await jobs.finish('one', { state: 'completed', error: null, result: null })
      await jobs.finish('one', {
        state: 'failed',
        error: 'catalog_unavailable: connection lost',
        result: null,
      })
      expect(await jobs.get('one')).toMatchObject({
        state: 'completed',
        progress: 100,
        error: null,
        owner: null,
      })
      await jobs.finish('one', { state: 'completed', error: null, result: '{}' })
      expect(await jobs.get('one')).toMatchObject({ state: 'completed', attempts: 1, result: '{}' })
      await jobs.accept([], () => [makeJob('one')])
      expect(await jobs.get('one')).toMatchObject({ state: 'active', attempts: 2, sequence: 2, result: null })
    })

    it('number jobs in the order of acceptance, and find those of a pack that are not done, in releases too', async () => {
      const { jobs } = context.catalog
      const data = '{}'
      const find = async (slug: string, before?: number): Promise<string[]> =>
        (await jobs.unfinished([slug], before)).map(({ id, sequence }) => `${id} ${sequence}`)
      await jobs.accept([], () => [{ ...makeJob('a1', 'a'), data }])
      // A release may have the name of a pack.
      const members = ['a', 'b'].map((slug) => ({ ...makeJob(`r-${slug}`, slug), release: 'r', data }))
      await jobs.accept([], () => [makeJob('r', 'a'), ...members])
      await jobs.accept(['a', 'b'], (last) => {
        expect(Array.from(last, ([slug, { id }]) => `${slug} ${id}`).toSorted()).toEqual(['a r-a', 'b r-b'])
        return [{ ...makeJob('a2', 'a'), data }]
      })
      expect([await find('a'), await find('a', 3), await find('b', 2)]).toEqual([
        ['a1 1', 'r-a 2', 'a2 3'],
        ['a1 1', 'r-a 2'],
        [],
      ])
      await jobs.finish('r-a', { state: 'completed', error: null, result: '{}' })
      expect(await find('a', 3)).toEqual(['a1 1', 'r-a 2'])
      await jobs.finish('r', { state: 'failed', error: 'x', result: null })
      expect([await find('a'), await find('b')]).toEqual([['a1 1', 'a2 3'], []])
      expect((await jobs.list(9)).map(({ id }) => id).toSorted()).toEqual(['a1', 'a2', 'r'])
      expect((await jobs.members('r')).map(({ id }) => id).toSorted()).toEqual(['r-a', 'r-b'])
    })

    it('keep sources and tables of versions forever, and others until 30 days after their last use', async () => {
      let day = 1
      const now = (): Date => new Date(Date.UTC(2026, 2, day))
      const { sources, packs } = await context.database.open(await context.database.create(), { now })
      const put = (text: string): Promise<string> => sources.put(Buffer.from(text))
      const names = ['used', 'tables', 'asked', 'again', 'left']
      const [used, tables, asked, again, left] = await Promise.all(names.map(put))
      const version = makeVersion({ slug: 'tls' })
      const provenance = { ...version.provenance, source_sha256: used!, given: { tables: tables! } }
      await packs.commit([{ ...version, provenance }])
      day = 20
      await put('again')
      expect(await sources.get(asked!)).toEqual(Buffer.from('asked'))
      const found = async (): Promise<boolean[]> =>
        Promise.all(
          [used, tables, asked, again, left].map(
            async (sha256) => (await sources.get(sha256!)) !== undefined,
          ),
        )
      day = 32
      await put('another')
      expect(await found()).toEqual([true, true, true, true, false])
      day = 61
      await put('used')
      expect(await found()).toEqual([true, true, true, true, false])
      day = 400
      await put('another')
      expect(await found()).toEqual([true, true, false, false, false])
    })

    it('remove a limited number of expired sources with each put', async () => {
      let day = 1
      const now = (): Date => new Date(Date.UTC(2026, 2, day))
      const url = await context.database.create()
      const { sources } = await context.database.open(url, { now })
      const texts = Array.from({ length: 130 }, (_, at) => Buffer.from(`old ${at}`))
      const old = await Promise.all(texts.map((text) => sources.put(text)))
      const then = await context.database.open(url, { now: () => new Date(Date.UTC(2026, 2, 1)) })
      const countLeft = async (): Promise<number> =>
        (await Promise.all(old.map((sha256) => then.sources.get(sha256)))).filter(Boolean).length
      day = 40
      await sources.put(Buffer.from('first'))
      expect(await countLeft()).toBe(30)
      await sources.put(Buffer.from('second'))
      expect(await countLeft()).toBe(0)
    })

    it('store sources byte for byte by their SHA-256', async () => {
      const { sources } = context.catalog
      const bytes = Buffer.from('a\0b\xff', 'latin1')
      const digest = '59a19e4f4ee5f3c23c29f6c1b1b3b3e2b8b3b1b5e0c2a8b8c0b1f0a6d8b5d6a7'
      const [one, two] = await Promise.all([sources.put(bytes), sources.put(new Uint8Array(bytes))])
      expect(one).toBe(two)
      expect(await sources.get(one)).toEqual(bytes)
      expect(await sources.get(digest)).toBeUndefined()
      expect(await sources.put(new Uint8Array())).toBe(
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      )
    })
  })
}

function makeJob(id: string, slug = 'tls'): NewJob {
  return { id, slug, state: 'active', attempts: 1, owner: 'host 1 2', release: null, data: null }
}
