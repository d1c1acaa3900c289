import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createKeyText } from '../../../catalog/src/accounts/issue-key.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freezePostgres, holdSqliteLock, holdTransaction } from '../../../test-kit/test/hold-transaction.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from './customers.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const postgres = await usePostgres(true)

describe('/readyz', () => {
  it('is 503 while Postgres is frozen, which rejects requests at once, and 200 as soon as it continues', async () => {
    const url = await postgres.createDatabase()
    const key = await addCustomer(url, 'pro', null, [makeVersion({ slug: 'tls' })])
    const server = await startServer(['--data', makeFolder()], { DATABASE_URL: url })
    const list = (): Promise<Response> =>
      fetch(`${server.url}/api/v1/packs`, { headers: { 'x-api-key': key } })
    expect((await list()).status).toBe(200)
    const thaw = await freezePostgres(url)
    onTestFinished(thaw)
    const waiting = list()
    await waitForStatus(server, 'database away')
    expect(await readReady(server)).toMatchObject({
      code: 503,
      failing: expect.arrayContaining(['database']),
    })
    expect((await fetch(`${server.url}/livez`)).status).toBe(200)
    const startedAt = performance.now()
    const rejected = await list()
    // A connection is awaited for ten seconds, a statement for twelve.
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await rejected.json()).toMatchObject({ code: 'service_unavailable' })
    const page = await fetch(`${server.url}/browse`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '30'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
    thaw()
    await waitForStatus(server, 'ready')
    expect([200, 503]).toContain((await waiting).status)
    expect((await list()).status).toBe(200)
  })

  it('is 503 while all connections are in use, although the database answers', async () => {
    const url = await postgres.createDatabase()
    const server = await startServer(['--data', makeFolder()], { DATABASE_URL: url })
    // Every new key is looked up in this table, which the probe of the database does not read.
    const held = await holdTransaction(url, 'lock table accounts in access exclusive mode')
    onTestFinished(() => held.release())
    const requests = Array.from({ length: 12 }, () =>
      fetch(`${server.url}/api/v1/packs`, { headers: { 'x-api-key': createKeyText() } }),
    )
    await waitForStatus(server, 'no free connection to the database')
    expect(await readReady(server)).toMatchObject({ code: 503, failing: ['connections'] })
    await held.release()
    await waitForStatus(server, 'ready')
    for (const request of requests) expect([401, 503]).toContain((await request).status)
  })

  it('is 503 while Postgres accepts no connections', async () => {
    const url = await postgres.createDatabase()
    const control = await postgres.createDatabase()
    const server = await startServer(['--data', makeFolder()], { DATABASE_URL: url })
    const name = new URL(url).pathname.slice(1)
    await postgres.run(
      control,
      `alter database ${name} allow_connections false;
       select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    await waitForStatus(server, 'database away')
    await postgres.run(control, `alter database ${name} allow_connections true`)
    await waitForStatus(server, 'ready')
  })

  it('is 503 once the SQLite file was deleted or replaced, until a restart', async () => {
    const data = makeFolder()
    const server = await startServer(['--data', data], { DATABASE_URL: '' })
    expect(await readReady(server)).toEqual({ code: 200, status: 'ready' })
    const file = join(data, 'catalog.sqlite')
    renameSync(file, `${file}.moved`)
    await waitForStatus(server, 'database away')
    renameSync(`${file}.moved`, file)
    await waitForStatus(server, 'ready')
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    await runInProcess(['accounts', '--data', data], { env: { DATABASE_URL: '' } })
    await waitForStatus(server, 'database away')
  })

  it('stays 200 in recovery mode, without Redis, and while another process holds the lock of a SQLite file', async () => {
    const data = makeFolder()
    const env = { DATABASE_URL: '', REDIS_URL: 'redis://127.0.0.1:1' }
    const server = await startServer(['--data', data], env)
    await runInProcess(['mode', 'recovery', '--data', data], { env: { DATABASE_URL: '' } })
    const release = holdSqliteLock(join(data, 'catalog.sqlite'))
    onTestFinished(release)
    await waitUntil('the server is in recovery mode', async () =>
      (await (await fetch(`${server.url}/api/status`)).text()).includes('recovery'),
    )
    expect(await readReady(server)).toEqual({ code: 200, status: 'ready' })
  })
})

async function readReady(server: TestServer): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}/readyz`)
  return { code: response.status, ...((await response.json()) as object) }
}

async function waitForStatus(server: TestServer, status: string): Promise<void> {
  await waitUntil(`/readyz says: ${status}`, async () => (await readReady(server))['status'] === status)
}
