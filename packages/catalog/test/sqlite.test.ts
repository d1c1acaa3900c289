import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { describeCatalog } from './describe-catalog.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'
import { openTestCatalog, startSqliteTests } from '../../test-kit/test/test-database.ts'

describeCatalog('SQLite', startSqliteTests)

describe('a SQLite file', () => {
  const folder = makeFolder()

  it('is created with its folder, readable only by its owner', async () => {
    const path = join(folder, 'new', 'catalog.sqlite')
    await (await openCatalog({ url: `sqlite:${path}` })).close()
    for (const file of [path, `${path}.quota`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.runIf(existsSync('/proc/locks'))(
    'stays locked while it is open, even if it existed before',
    async () => {
      const path = join(folder, 'locked.sqlite')
      await (await openCatalog({ url: path })).close()
      for (const _ of [1, 2]) await openTestCatalog(path)
      const inode = `:${statSync(path).ino} `
      const locks = readFileSync('/proc/locks', 'utf8').split('\n')
      expect(locks.filter((line) => line.includes(inode))).not.toEqual([])
    },
  )

  it.runIf(existsSync('/proc'))('is rejected immediately if its folder cannot be created', async () => {
    await expect(openCatalog({ url: '/proc/packs/catalog.sqlite' })).rejects.toMatchObject({
      code: 'catalog_unavailable',
    })
  })

  it.each([
    ['a folder', () => folder, /EISDIR|EEXIST/],
    ['in a file', () => join(writeNote(), 'x.sqlite'), /ENOTDIR|EEXIST/],
    ['not a database', () => writeNote(), /not a SQLite database/],
  ])('is rejected if it is %s', async (_, path, message) => {
    await expect(openCatalog({ url: path() })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: expect.stringMatching(message),
    })
  })

  function writeNote(): string {
    const path = join(folder, 'note.txt')
    writeFileSync(path, 'This is text, not a database, but long enough to have the size of one.\n'.repeat(9))
    return path
  }
})
