import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { getMigrations } from 'better-auth/db/migration'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../../../catalog/test/start-postgres.ts'
import { tableOptions } from '../../src/accounts/create-auth.ts'
import { startSite } from '../start-site.ts'
import { actor } from '../../../catalog/test/test-actor.ts'

let postgres: TestPostgres
const folder = mkdtempSync(join(tmpdir(), 'packs-auth-'))

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = {
  SQLite: () => Promise.resolve(join(folder, `${Math.random()}.sqlite`)),
  Postgres: () => postgres.createDatabase(),
}

describe.each(Object.entries(addresses))('in %s', (_name, createAddress) => {
  it('the catalog has the tables that better-auth needs', async () => {
    const url = await createAddress()
    const catalog = await openCatalog({ url })
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
    await catalog.close()
  })

  it('pages start while another process writes to these tables', async () => {
    const url = await createAddress()
    const first = await startSite([], url)
    await first.catalog.database.db.transaction().execute(async (transaction) => {
      await sql`delete from sign_in_sessions`.execute(transaction)
      const second = await startSite([], url)
      await second.close()
    })
    await first.close()
  })

  it('sign-up and sign-in work while others write', async () => {
    const site = await startSite([], await createAddress())
    const writes = Array.from({ length: 20 }, (_, number) =>
      site.catalog.accounts.create({ email: `other${number}@example.com`, tier: 'free', actor }),
    )
    const cookies = await Promise.all(['a', 'b', 'c'].map((name) => site.join(`${name}@example.com`)))
    await Promise.all(writes)
    for (const cookie of cookies)
      expect((await site.visit('/settings', { cookie })).body).toContain('Sign out')
    expect(site.log).toEqual([])
    await site.close()
  })
})
