import { pino } from 'pino'
import { expect, it } from 'vitest'
import { startCluster } from '../../../publisher/test/start-cluster.ts'
import { makeAccount } from '../../../test-kit/test/make-version.ts'
import { openTestCatalog } from '../../../test-kit/test/test-database.ts'
import { connectLazily, openQuota } from '../../src/serve/open-server-dependencies.ts'

it('counts the quotas of all accounts in a Redis Cluster, regardless of the node in the URL', async () => {
  const { catalog } = await openTestCatalog(':memory:')
  const cluster = await startCluster()
  let fallbacks = 0
  const quotas = await Promise.all(
    cluster.urls.map((url) => openQuota(catalog, url, pino({ enabled: false }), () => fallbacks++)),
  )
  const now = new Date('2026-03-01T12:00:00Z')
  // Twelve accounts, so that each node stores some of them.
  for (let at = 0; at < 12; at++) {
    const account = makeAccount({ id: `ac_${at}` })
    const left: number[] = []
    for (const { quota } of quotas) left.push((await quota.take(account, now)).remaining)
    expect(left).toEqual([9, 8, 7])
  }
  expect(fallbacks).toBe(0)
  for (const quota of quotas) await quota.close()
})

it('connects on first use, and again after a failure', async () => {
  const outcomes = [Promise.reject(new Error('away')), Promise.resolve('open')]
  const connection = connectLazily(() => outcomes.shift()!)
  await expect(connection.use()).rejects.toThrow('away')
  expect(await Promise.all([connection.use(), connection.use()])).toEqual(['open', 'open'])
  const ended: string[] = []
  await connection.close((opened) => ended.push(opened))
  expect(ended).toEqual(['open'])
})
