import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { afterAll, describe, expect, it } from 'vitest'
import { describeCatalog } from './describe-catalog.ts'
import { startSqliteTests } from '../../test-kit/test/test-database.ts'

describeCatalog('SQLite', startSqliteTests)

describe('a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packs-sqlite-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
      const [first, second] = [await openCatalog({ url: path }), await openCatalog({ url: path })]
      try {
        const inode = `:${statSync(path).ino} `
        const locks = readFileSync('/proc/locks', 'utf8').split('\n')
        expect(locks.filter((line) => line.includes(inode))).not.toEqual([])
      } finally {
        await first.close()
        await second.close()
      }
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
