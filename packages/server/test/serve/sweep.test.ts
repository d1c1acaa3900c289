import { openCatalog } from '@packs/catalog'
import { expect, it } from 'vitest'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const postgres = await usePostgres()

const TOKEN = 'operator-token-of-this-test'

async function readMetric({ url }: TestServer, name: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const line = (await answer.text()).split('\n').find((text) => text.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1))
}

it('one of two servers deletes expired rows, and gives its lease back when it ends', async () => {
  const url = await postgres.createDatabase()
  const env = { DATABASE_URL: url, PACK_OPERATOR_TOKEN: TOKEN }
  const start = (): Promise<TestServer> => startServer(['--data', makeFolder()], env)
  // The tables of sign-in exist once a server has started.
  await (await start()).end('SIGTERM')
  await postgres.run(
    url,
    `insert into sign_in_limits (name, count, ends)
      select 'n' || i, 1, case when i <= 1234 then 0 else 9e12 end from generate_series(1, 1240) i`,
  )
  const catalog = await openCatalog({ url })
  const { maintenance } = catalog
  const canTakeLease = (): Promise<boolean> =>
    maintenance.takeLease({ name: 'sweep', holder: 'test', now: new Date(), lengthMs: 150_000 })
  const servers = await Promise.all([start(), start()])
  const read = (name: string): Promise<number[]> =>
    Promise.all(servers.map((server) => readMetric(server, name)))
  await waitUntil('a sweep', async () => {
    const times = await read('packs_sweep_last_success_timestamp_seconds')
    return times.some((time) => time > 0) || undefined
  })
  expect(await maintenance.removeExpired('limits', new Date(9e12), 9)).toEqual({ rows: 6, hasMore: false })
  const rows = await read('packs_sweep_rows_total{kind="limits"}')
  expect(rows.toSorted((a, b) => a - b)).toEqual([0, 1234])
  expect(await read('packs_sweep_failures_total{kind="lease"}')).toEqual([0, 0])
  const holder = servers[rows.indexOf(1234)]!
  expect(await canTakeLease()).toBe(false)
  expect(await holder.end('SIGTERM')).toBe(0)
  expect(await canTakeLease()).toBe(true)
  const lines = holder.log.filter((line) => line.includes('expired rows deleted'))
  expect(lines.map((line) => (JSON.parse(line) as { rows: unknown }).rows)).toEqual([{ limits: 1234 }])
  await catalog.close()
})
