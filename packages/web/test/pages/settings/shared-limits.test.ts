import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres, type TestPostgres } from '../../../../catalog/test/start-postgres.ts'
import { startSite } from '../../start-site.ts'

let postgres: TestPostgres
const folder = mkdtempSync(join(tmpdir(), 'packs-limits-'))

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = {
  SQLite: () => Promise.resolve(join(folder, `${randomUUID()}.sqlite`)),
  Postgres: () => postgres.createCatalog(),
}

describe.each(Object.entries(addresses))('in %s', (_name, createAddress) => {
  it('the pages of several processes share what is throttled, and a form is taken once by them together', async () => {
    const url = await createAddress()
    const one = await startSite([], url)
    const two = await startSite([], url)
    onTestFinished(async () => {
      await one.close()
      await two.close()
    })
    const cookie = await one.join('ann@example.com')
    const statuses: number[] = []
    for (let turn = 0; turn < 8; turn++) {
      const { statusCode } = await [one, two][turn % 2]!.signIn('ann@example.com', 'wrong horse')
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([...Array(5).fill(400), 429, 429, 429])
    const form = { name: 'laptop', token: randomUUID() }
    const made = await one.visit('/settings/keys', { form, cookie })
    const again = await two.visit('/settings/keys', { form, cookie })
    expect([made.statusCode, again.statusCode]).toEqual([200, 409])
  })
})
