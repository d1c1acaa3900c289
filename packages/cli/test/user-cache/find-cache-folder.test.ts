import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCacheFolder, openUserFolder } from '../../src/user-cache/find-cache-folder.ts'
import { makeFolder } from '../run-pack.ts'

const HOME = { env: {}, platform: 'linux', home: '/home/kim' } as const

describe('findCacheFolder', () => {
  it('takes the node_modules of the nearest package.json', () => {
    const root = makeFolder({ 'package.json': '{}', 'node_modules/.keep': '', 'docs/a/b.md': '' })
    expect(findCacheFolder(join(root, 'docs/a'), HOME)).toBe(join(root, 'node_modules/.cache/packs'))
  })

  it('does not take those of a package further up, nor create any', () => {
    const root = makeFolder({ 'package.json': '{}', 'node_modules/.keep': '', 'inner/package.json': '{}' })
    expect(findCacheFolder(join(root, 'inner'), HOME)).toBe('/home/kim/.cache/packs')
  })

  it.each([
    ['linux', {}, '/home/kim/.cache/packs'],
    ['linux', { XDG_CACHE_HOME: '/var/cache/kim' }, '/var/cache/kim/packs'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/kim/.cache/packs'],
    ['linux', { XDG_CACHE_HOME: '' }, '/home/kim/.cache/packs'],
    ['darwin', {}, '/home/kim/Library/Caches/packs'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/packs/Cache'],
    ['win32', {}, '/home/kim/AppData/Local/packs/Cache'],
  ] as const)('is in the cache of the user on %s with %j', (platform, env, folder) => {
    expect(findCacheFolder('/', { env, platform, home: '/home/kim' })).toBe(folder)
  })
})

const open = (root: string): string | undefined =>
  openUserFolder(
    { env: { XDG_CACHE_HOME: join(root, 'cache') }, platform: 'linux', home: root },
    join(root, 'tmp'),
  )

describe('openUserFolder', () => {
  it('creates a folder in the user’s cache that only the user can read', () => {
    const root = makeFolder()
    const folder = open(root)!
    expect(folder).toBe(join(root, 'cache/packs'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(open(root)).toBe(folder)
  })

  it.each<[string, (root: string) => void]>([
    ['cannot be created', (root) => writeFileSync(join(root, 'cache'), 'a file')],
    ['others can write to', (root) => chmodSync(open(root)!, 0o777)],
    [
      'is in a folder that others can write to',
      (root) => {
        open(root)
        chmodSync(join(root, 'cache'), 0o777)
      },
    ],
    [
      'is a link',
      (root) => {
        mkdirSync(join(root, 'cache'))
        symlinkSync(join(root, 'elsewhere'), join(root, 'cache/packs'))
      },
    ],
  ])('takes one for temporary files where that of the cache %s', (_, prepare) => {
    const root = makeFolder({ 'elsewhere/.keep': '' })
    prepare(root)
    const folder = open(root)!
    expect(folder).toMatch(/\/tmp\/packs-\w+$/)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['.keep'])
  })

  it('returns none where others can write to both', () => {
    const root = makeFolder({ cache: 'a file' })
    chmodSync(open(root)!, 0o770)
    expect(open(root)).toBeUndefined()
  })
})
