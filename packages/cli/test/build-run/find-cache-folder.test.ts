import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCacheFolder } from '../../src/build-run/build-in-order.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

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

  it('does not take those of a parent that others can write to', () => {
    const root = makeFolder({ 'package.json': '{}', 'node_modules/.keep': '', 'docs/b.md': '' })
    chmodSync(root, 0o777)
    expect(findCacheFolder(join(root, 'docs'), HOME)).toBe('/home/kim/.cache/packs')
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
