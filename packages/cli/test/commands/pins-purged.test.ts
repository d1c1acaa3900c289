import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '@packs/catalog'
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
  readonly cwd: string
  readonly pack: (words: string, url?: string) => Promise<Printed>
  /** Makes the list of purges as old as that of a cache of the year 2020. */
  readonly age: (url?: string) => Promise<void>
  readonly purge: () => Promise<unknown>
  readonly packs: Catalog['packs']
  readonly cache: string
}

/** A project with an installed pack, whose catalog is at hand and may have a later major version. */
async function installPack(isReplaced = false): Promise<Project> {
  const version = await buildVersion({ slug: 'tls', title: 'TLS', body: '# TLS\n\nA leaked key.\n' })
  const other = await buildVersion({ slug: 'web', title: 'Web', body: '# Web\n\nStatus codes.\n' })
  const body = '# TLS\n\nNo key.\n'
  const next = await buildVersion({ slug: 'tls', version: '2.0.0', parent: '1.0.0', body })
  const api = await startApi({ versions: isReplaced ? [version, next] : [version, other] })
  const own = `http://127.0.0.1:${api.port}`
  const cwd = makeFolder({ 'package.json': '{}' })
  const env = { PACK_KEY: api.pro.key, XDG_CACHE_HOME: makeFolder() }
  const pack: Project['pack'] = (words, url = own) =>
    runInProcess(words.split(' '), { cwd, env: { ...env, PACK_URL: url } })
  expect((await pack('add tls@^1')).status).toBe(0)
  return {
    cwd,
    pack,
    packs: api.catalog.packs,
    cache: env.XDG_CACHE_HOME,
    async age(url = own) {
      const cache = createFolderCache(join(env.XDG_CACHE_HOME, 'packs/client'))
      const at = Date.parse('2020-01-01T00:00:00Z')
      await cache.set('purges', JSON.stringify({ [url]: { at, after: 0, versions: {} } }))
    },
    purge: () =>
      api.catalog.packs.purge({
        slug: 'tls',
        ...(isReplaced && { versions: ['1.0.0'] }),
        reason: 'a key leaked',
        actor,
      }),
  }
}

it.each(['prompt tls --lock packs.lock', 'search key --lock packs.lock'])(
  'pack %s refuses a purged pack with the reason, and deletes its copy',
  async (words) => {
    const { pack, age, purge } = await installPack()
    await purge()
    expect(await pack(words)).toMatchObject({ status: 0 })
    await age()
    const refused = await pack(words)
    expect(refused.status).toBe(4)
    expect(refused.stderr).toMatch(/tls@1\.0\.0 was purged on \d{4}-\d\d-\d\d: a key leaked/)
    expect(refused.stderr).toContain('its text was erased')
    expect((await pack('install', GONE)).stderr).not.toContain('was purged')
    expect((await pack('install')).stderr).toMatch(/tls@1\.0\.0 was purged on \d{4}-\d\d-\d\d: a key leaked/)
  },
)

it('pack install uses the cache with a warning if the catalog is away, and fails with --strict', async () => {
  const { pack, age } = await installPack()
  await age(GONE)
  const warned = await pack('install', GONE)
  expect(warned.status).toBe(0)
  expect(warned.stderr).toMatch(
    /warning: Cached packs are used, but the list of purged versions was not read since 2020-01-01: the/,
  )
  const strict = await pack('install --strict', GONE)
  expect([strict.status, strict.stdout]).toEqual([5, ''])
  expect(strict.stderr).toMatch(
    /error: the list of purged versions was not .*: the catalog cannot be reached/,
  )
  await age()
  expect(await pack('install --strict')).toMatchObject({ status: 0 })
})

it('pack install names the pack that is missing if the catalog is away', async () => {
  const { pack, cache } = await installPack()
  rmSync(cache, { recursive: true })
  const { status, stderr } = await pack('install', GONE)
  expect([status, stderr]).toEqual([
    5,
    expect.stringContaining('tls 1.0.0 is not in the cache. The catalog c'),
  ])
})

it('pack install and pack update learn at once of a purge, and delete copies and files', async () => {
  const { pack, purge, cwd } = await installPack()
  expect(await pack('install --out out')).toMatchObject({ status: 0 })
  const file = join(cwd, 'out/tls.pack.json')
  expect(existsSync(file)).toBe(true)
  await purge()
  for (const words of ['update tls', 'install --out out', 'update --latest']) {
    const refused = await pack(words)
    expect([words, refused.status]).toEqual([words, 4])
    expect(refused.stderr).toMatch(
      /(?:tls@1\.0\.0|the pack tls) was purged on \d{4}-\d\d-\d\d: a key leaked\n/,
    )
    expect(refused.stderr).toContain('`pack remove SLUG` if the whole pack was purged')
  }
  expect(existsSync(file)).toBe(false)
  expect((await pack('install', '')).stderr).toContain('tls@1.0.0 was purged on')
})

it('a purged pin says so itself, and leaves the other packs of the lock', async () => {
  const { pack, age, purge } = await installPack()
  expect(await pack('add web')).toMatchObject({ status: 0 })
  await purge()
  await age()
  const found = await pack('search codes --lock packs.lock')
  expect(found.status).toBe(0)
  expect(found.stdout).toContain('web')
  expect(found.stderr).toContain('warning: tls@1.0.0 was purged on')
  const healthy = await pack('context codes --lock packs.lock')
  expect(healthy.stdout).toContain('Status codes.')
})

it('pack update names the purge if nothing else is in the range, and --latest helps', async () => {
  const { pack, purge } = await installPack(true)
  await purge()
  for (const words of ['update tls', 'update --dry-run']) {
    const refused = await pack(words)
    expect([refused.status, refused.stdout]).toEqual([4, ''])
    expect(refused.stderr).toMatch(/tls@1\.0\.0 was purged on .*\n.*`pack update SLUG --latest`/)
  }
  expect(await pack('update tls --latest')).toMatchObject({ status: 0 })
  expect(await pack('install --strict')).toMatchObject({ status: 0 })
})

it('pack update says why a new pin is older', async () => {
  const { pack, packs } = await installPack(true)
  expect(await pack('add tls@^2')).toMatchObject({ status: 0 })
  await packs.yank('tls', '2.0.0', 'too early', actor)
  const warning = 'warning: tls 2.0.0 → 1.0.0, older: 2.0.0 was'
  const yanked = await pack('update --latest --dry-run')
  expect([yanked.status, yanked.stderr]).toEqual([
    1,
    expect.stringContaining(`${warning} yanked (too early)\n`),
  ])
  await packs.purge({ slug: 'tls', versions: ['2.0.0'], reason: 'a leak', actor })
  const { stdout } = await pack('update --latest --dry-run --json')
  expect(JSON.parse(stdout)).toMatchObject({
    packs: [{ older: expect.stringMatching(/^2.0.0 was purged .*: a leak$/) }],
  })
  expect((await pack('update --latest')).stderr).toContain(`${warning} purged on 2`)
})
