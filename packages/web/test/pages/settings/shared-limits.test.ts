import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeDatabases } from '../../../../test-kit/test/test-database.ts'
import { startSite } from '../../start-site.ts'

describeDatabases('in %s', (database) => {
  it('the pages of several processes share what is throttled, and a form is taken once by them together', async () => {
    const url = await database.createCatalog()
    const one = await startSite([], url)
    const two = await startSite([], url)
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
