import { getMigrations } from 'better-auth/db/migration'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { tableOptions } from '../../src/accounts/create-auth.ts'
import { startSite } from '../start-site.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

describeDatabases('in %s', (database) => {
  it('the catalog has the tables that better-auth needs', async () => {
    const catalog = await database.open(await database.createCatalog())
    const { db, type } = catalog.database
    const { toBeCreated, toBeAdded, toBeAddedIndexes, schemaProblems } = await getMigrations({
      ...tableOptions,
      database: { db, type },
    })
    expect({ toBeCreated, toBeAdded, toBeAddedIndexes, schemaProblems }).toEqual({
      toBeCreated: [],
      toBeAdded: [],
      toBeAddedIndexes: [],
      schemaProblems: [],
    })
  })

  it('pages start while another process writes to these tables', async () => {
    const url = await database.createCatalog()
    const first = await startSite([], url)
    await first.catalog.database.db.transaction().execute(async (transaction) => {
      await sql`delete from sign_in_sessions`.execute(transaction)
      await startSite([], url)
    })
  })

  it('sign-up and sign-in work while others write', async () => {
    const site = await startSite([], await database.createCatalog())
    const writes = Array.from({ length: 20 }, (_, number) =>
      site.catalog.accounts.create({ email: `other${number}@example.com`, tier: 'free', actor }),
    )
    const cookies = await Promise.all(['a', 'b', 'c'].map((name) => site.join(`${name}@example.com`)))
    await Promise.all(writes)
    for (const cookie of cookies)
      expect((await site.visit('/settings', { cookie })).body).toContain('Sign out')
    expect(site.log).toEqual([])
  })
})
