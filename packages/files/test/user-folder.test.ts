import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CheckedFolder, openClientFolder, openPrivateFolder, openUserFolder } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

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

describe('openClientFolder', () => {
  const openClient = (root: string): CheckedFolder =>
    openClientFolder({ env: {}, platform: 'linux', home: root }, join(root, 'tmp'))

  it('is a folder of its own in that of the user', () => {
    const root = makeFolder()
    const folder = join(root, '.cache/packs/client')
    expect(openClient(root)).toEqual({ folder, fault: undefined })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('may be read-only', () => {
    const root = makeFolder()
    chmodSync(openClient(root).folder, 0o500)
    expect(openClient(root).fault).toBeUndefined()
  })

  it.each<[string, (root: string) => void]>([
    ['can be written by others', (root) => chmodSync(openClient(root).folder, 0o777)],
    ['can be written by others', (root) => chmodSync(join(openClient(root).folder, '..'), 0o777)],
    [
      'can be replaced by others, through ROOT/.cache',
      (root) => {
        openClient(root)
        chmodSync(join(root, '.cache'), 0o777)
      },
    ],
    ['is a file, or below one', (root) => writeFileSync(join(root, '.cache'), 'a file')],
    [
      'is a link',
      (root) => {
        mkdirSync(join(root, '.cache/packs'), { recursive: true, mode: 0o700 })
        symlinkSync(join(root, 'elsewhere'), join(root, '.cache/packs/client'))
      },
    ],
  ])('says that it %s, and takes no folder of temporary files', (fault, prepare) => {
    const root = makeFolder({ 'elsewhere/.keep': '' })
    prepare(root)
    expect(openClient(root)).toEqual({
      folder: join(root, '.cache/packs/client'),
      fault: fault.replace('ROOT', root),
    })
    expect(existsSync(join(root, 'tmp'))).toBe(false)
  })

  it('is not used by a user without a home, or with one among temporary files', () => {
    const root = makeFolder()
    const temporary = join(root, 'tmp')
    const home = openUserFolder({ env: {}, platform: 'linux', home: '' }, temporary)!
    expect(home).toMatch(/\/tmp\/packs-\w+$/)
    for (const one of ['', home]) {
      const { fault } = openClientFolder({ env: {}, platform: 'linux', home: one }, temporary)
      expect(fault).toBe('is not kept, because the user has no home folder')
    }
  })
})

describe('openPrivateFolder', () => {
  it('follows a link to a private folder, and creates parents', () => {
    const root = makeFolder()
    mkdirSync(join(root, 'real'), { mode: 0o700 })
    symlinkSync('real', join(root, 'link'))
    expect(openPrivateFolder(join(root, 'link'))).toEqual({ folder: join(root, 'real'), fault: undefined })
    expect(openPrivateFolder(join(root, 'a/b'))).toEqual({ folder: join(root, 'a/b'), fault: undefined })
  })

  it('opens none that others can write to, nor one below a file or on a system that creates none', () => {
    const root = makeFolder({ file: '' })
    mkdirSync(join(root, 'shared'))
    chmodSync(join(root, 'shared'), 0o777)
    expect(openPrivateFolder(join(root, 'shared')).fault).toBe('can be written by others')
    expect(openPrivateFolder(join(root, 'file/a')).fault).toBe('is a file, or below one')
    expect(openPrivateFolder('/proc/packs/a').fault).toMatch(/^cannot be created \(E[A-Z]+\)$/)
  })
})
