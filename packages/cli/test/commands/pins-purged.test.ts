import { join } from 'node:path'
import { createFolderCache } from '@packs/client/node'
import { expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

/** Where nobody answers. */
const GONE = 'http://127.0.0.1:9'

interface Project {
  readonly pack: (words: string, url?: string) => Promise<Printed>
  /** Makes the list of purges as old as that of a cache of the year 2020. */
  readonly age: (url?: string) => Promise<void>
  readonly purge: () => Promise<unknown>
}

/** A project with an installed pack, whose catalog is at hand. */
async function installPack(): Promise<Project> {
  const version = await buildVersion({ slug: 'tls', title: 'TLS', body: '# TLS\n\nA leaked key.\n' })
  const api = await startApi({ versions: [version] })
  const own = `http://127.0.0.1:${api.port}`
  const cwd = makeFolder({ 'package.json': '{}' })
  const env = { PACK_KEY: api.pro.key, XDG_CACHE_HOME: makeFolder() }
  const pack: Project['pack'] = (words, url = own) =>
    runInProcess(words.split(' '), { cwd, env: { ...env, PACK_URL: url } })
  expect((await pack('add tls')).status).toBe(0)
  return {
    pack,
    async age(url = own) {
      const cache = createFolderCache(join(env.XDG_CACHE_HOME, 'packs/client'))
      const at = Date.parse('2020-01-01T00:00:00Z')
      await cache.set('purges', JSON.stringify({ [url]: { at, after: 0, versions: {} } }))
    },
    purge: () => api.catalog.packs.purge({ slug: 'tls', reason: 'a key leaked', actor }),
  }
}

it.each(['install', 'prompt tls --lock packs.lock', 'search key --lock packs.lock'])(
  'pack %s refuses a purged pack with the reason, and deletes its copy',
  async (words) => {
    const { pack, age, purge } = await installPack()
    await purge()
    expect(await pack(words)).toMatchObject({ status: 0 })
    await age()
    const refused = await pack(words)
    expect(refused.status).toBe(4)
    expect(refused.stderr).toMatch(/tls@1\.0\.0 was purged on \S+Z: a key leaked/)
    expect(refused.stderr).toContain('its text was erased')
    expect((await pack('install', GONE)).stderr).not.toContain('was purged')
    expect((await pack('install')).stderr).toMatch(/tls@1\.0\.0 was purged on \S+Z: a key leaked/)
  },
)

it('pack install uses the cache with a warning if the catalog is away, and fails with --strict', async () => {
  const { pack, age } = await installPack()
  await age(GONE)
  const warned = await pack('install', GONE)
  expect(warned.status).toBe(0)
  expect(warned.stderr).toMatch(
    /warning: Cached packs are used, but the list of purged versions is \d{4} days old/,
  )
  const strict = await pack('install --strict', GONE)
  expect([strict.status, strict.stdout]).toEqual([5, ''])
  expect(strict.stderr).toContain('the catalog cannot be reached')
  await age()
  expect(await pack('install --strict')).toMatchObject({ status: 0 })
})
