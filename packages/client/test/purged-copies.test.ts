import { createFolderCache } from '@packs/client/node'
import { expect, it } from 'vitest'
import { makeFolder } from '../../test-kit/test/run-pack.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { type CatalogClient, assembleClient } from '../src/create-client.ts'
import {
  type Cache,
  type ClientOptions,
  createMemoryCache,
  createPin,
  type FullPack,
  type Lock,
} from '../src/index.ts'
import { defaultPorts } from '../src/requests/send-request.ts'
import { startCatalog } from './start-catalog.ts'

const DAY = 86_400_000
const NAME = 'tls-certificates'

interface Opened {
  readonly cache: Cache
  readonly lock: Lock
  readonly digest: string
  readonly warnings: string[]
  readonly requested: string[]
  /** A client, so many days after the pack was cached. */
  readonly openAt: (days: number, options?: ClientOptions) => CatalogClient
  readonly purge: () => Promise<unknown>
}

/** A cache with a pack, its lock, and the catalog that it comes from. */
async function openCached(cache: Cache): Promise<Opened> {
  const api = await startCatalog()
  const url = `http://127.0.0.1:${api.port}`
  const [warnings, requested]: [string[], string[]] = [[], []]
  const fetchNamed: typeof fetch = (input, init) => {
    requested.push(new URL(input as string).pathname)
    return fetch(input, init)
  }
  const openAt: Opened['openAt'] = (days, options = { url, key: api.pro.key }) =>
    assembleClient(
      { cache, retries: 0, fetch: fetchNamed, ...options },
      {
        ...defaultPorts,
        now: () => Date.now() + days * DAY,
        warn: (sentence) => void warnings.push(sentence),
      },
    )
  const pack = (await openAt(0).packs.get(`${NAME}@1.0.0`)) as FullPack
  const lock: Lock = { lockfile_version: 1, packs: { [NAME]: createPin(pack, '~1.0') } }
  requested.length = 0
  const purge = (): Promise<unknown> =>
    api.catalog.packs.purge({ slug: NAME, versions: ['1.0.0'], reason: 'a key leaked', actor })
  return { cache, lock, digest: pack.pack_digest, warnings, requested, openAt, purge }
}

const PURGED = {
  code: 'purged_version',
  message: expect.stringMatching(/^tls-certificates@1\.0\.0 was purged on \d{4}-\d\d-\d\d: a key leaked$/),
}

it.each([
  ['in memory', () => createMemoryCache({ bytes: 1_000_000 })],
  ['in a folder', () => createFolderCache(`${makeFolder()}/cache`)],
])('%s a purged pack is refused and deleted once its copy is a day old', async (_, create) => {
  const { cache, lock, digest, warnings, requested, openAt, purge } = await openCached(create())
  await purge()
  const url = (await openAt(0).packs.get(`${NAME}@1.0.0`)) as FullPack
  expect([url.version, requested]).toEqual(['1.0.0', []])
  await expect(openAt(2).packs.get(`${NAME}@1.0.0`)).rejects.toMatchObject(PURGED)
  expect(requested[0]).toBe('/api/purged')
  expect(await cache.get(`pack/${digest}`)).toBeFalsy()
  const offline = openAt(2, { lock })
  await expect(offline.packs.get(NAME)).rejects.toMatchObject(PURGED)
  expect(warnings).toEqual([])
})

it('a lock is checked alike, once for all its packs and once a day', async () => {
  const opened = await openCached(createMemoryCache({ bytes: 1_000_000 }))
  const { lock, digest, cache, requested, purge } = opened
  const openLock = (days: number): CatalogClient =>
    opened.openAt(days, { url: 'http://127.0.0.1:9', lock, fetch: answerPurges })
  let purges: readonly object[] = []
  const answerPurges: typeof fetch = async (input) => {
    requested.push(input as string)
    return Response.json({ data: purges, meta: { next: purges.length, more: false } })
  }
  const first = openLock(1.1)
  for (const name of [NAME, NAME]) expect(await first.packs.get(name)).toMatchObject({ version: '1.0.0' })
  expect(await openLock(2).packs.get(NAME)).toMatchObject({ version: '1.0.0' })
  expect(requested).toEqual(['http://127.0.0.1:9/api/purged?after=0'])
  await purge()
  purges = [{ slug: NAME, version: '1.0.0', purged_at: '2026-01-01T00:00:00.000Z', reason: 'a key leaked' }]
  await expect(openLock(2.2).packs.get(NAME)).rejects.toMatchObject(PURGED)
  expect(await cache.get(`pack/${digest}`)).toBeUndefined()
})

it('a catalog that is away is a warning with the age of the list, or an error', async () => {
  const { lock, warnings, openAt } = await openCached(createMemoryCache({ bytes: 1_000_000 }))
  const away = { url: 'http://127.0.0.1:9', lock, fetch: () => Promise.reject(new Error('away')) }
  expect(await openAt(3, { lock }).packs.get(NAME)).toMatchObject({ version: '1.0.0' })
  const client = openAt(4, away)
  for (const name of [NAME, NAME]) await client.packs.get(name)
  const day = new Date().toISOString().slice(0, 10)
  const fault = `list of purged versions was not read since ${day}`
  const advice = 'Reach the catalog, or refuse them with strict'
  expect(warnings).toEqual([
    `Cached packs are used, but the ${fault}: no catalog is named. ${advice}`,
    `Cached packs are used, but the ${fault}: the catalog cannot be reached. ${advice}`,
  ])
  for (const options of [{ lock }, away])
    await expect(openAt(3, { ...options, strict: true }).packs.get(NAME)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(`The ${fault}`),
    })
})

it('what is known of purges lasts while the catalog is away', async () => {
  const { cache, lock, openAt, purge } = await openCached(createMemoryCache({ bytes: 1_000_000 }))
  const text = await cache.get(`pack/${lock.packs[NAME]!.pack_digest}`)
  await purge()
  await expect(openAt(2).packs.get(`${NAME}@1.0.0`)).rejects.toMatchObject(PURGED)
  await cache.set(`pack/${lock.packs[NAME]!.pack_digest}`, text!)
  await expect(openAt(9, { lock }).packs.get(NAME)).rejects.toMatchObject(PURGED)
})

it('a refused pin is remembered as purged, without a copy and without the catalog', async () => {
  const { cache, lock, digest, openAt, purge } = await openCached(createMemoryCache({ bytes: 1_000_000 }))
  await purge()
  await cache.delete!(`pack/${digest}`)
  await expect(openAt(0).packs.get(`${NAME}@1.0.0`)).rejects.toMatchObject({ status: 410 })
  await expect(openAt(0, { lock }).packs.get(NAME)).rejects.toMatchObject(PURGED)
})
