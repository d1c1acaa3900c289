import { createQuota, createVersionQuota, type Account, type Catalog } from '@packs/catalog'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeAccount } from '../../../test-kit/test/make-version.ts'
import { openTestCatalog } from '../../../test-kit/test/test-database.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const tomorrow = new Date('2026-03-02T00:00:00.000Z')

let catalog: Catalog
beforeEach(async () => {
  ;({ catalog } = await openTestCatalog('sqlite::memory:'))
})

const account = (id: string, daily: number | null = null): Account => makeAccount({ id, tier: 'pro', daily })

describe('createVersionQuota', () => {
  it('charges a version once a day for each account', async () => {
    const quota = createQuota(catalog.quota)
    const versions = createVersionQuota(quota)
    const [ada, ben] = [account('ada'), account('ben')]
    const states = await Promise.all(Array.from({ length: 10 }, () => versions.take(ada, now, [7])))
    expect(states.map(({ allowed, used }) => [allowed, used])).toEqual(Array(10).fill([true, 1]))
    expect((await versions.take(ben, now, [7])).used).toBe(1)
    expect((await versions.take(ada, now, [8])).used).toBe(2)
    expect((await versions.take(ada, tomorrow, [7])).used).toBe(1)
    await quota.close()
  })

  it('charges only the versions of a list that are not paid yet, all of them or none', async () => {
    const quota = createQuota(catalog.quota)
    const versions = createVersionQuota(quota)
    const ada = account('ada', 3)
    expect(await versions.take(ada, now, [1, 2, 2])).toMatchObject({ allowed: true, used: 2 })
    expect(await versions.take(ada, now, [2, 3, 4])).toMatchObject({ allowed: false, used: 2 })
    expect(await versions.take(ada, now, [2, 3])).toMatchObject({ allowed: true, used: 3, remaining: 0 })
    expect(await versions.take(ada, now, [4])).toMatchObject({ allowed: false, used: 3 })
    expect(await versions.take(ada, now, [1, 2, 3])).toMatchObject({ allowed: true, used: 3 })
    await quota.close()
  })

  it('marks nothing as paid while the store fails', async () => {
    const quota = createQuota(catalog.quota)
    let isFailing = true
    const versions = createVersionQuota({
      ...quota,
      take: (...charge) => (isFailing ? Promise.reject(new Error('away')) : quota.take(...charge)),
    })
    const ada = account('ada')
    await expect(versions.take(ada, now, [1])).rejects.toThrow('away')
    isFailing = false
    expect(await versions.take(ada, now, [1])).toMatchObject({ allowed: true, used: 1 })
    await quota.close()
  })
})
