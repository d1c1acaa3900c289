import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { runInProcess } from '../../../cli/test/run-in-process.ts'
import { makeFolder } from '../../../cli/test/run-pack.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { startServer, type TestServer } from './start-server.ts'

const TOKEN = 'operator-token-of-this-test'
const env = { DATABASE_URL: '', REDIS_URL: '', PACK_OPERATOR_TOKEN: TOKEN }

/** Publishes three packs, changes the database, and starts servers of this catalog. */
async function startServers(sql: string, count: number): Promise<TestServer[]> {
  const files = { 'aes.md': '# AES\n', 'ssh.md': '# SSH\n', 'tls.md': '# TLS\n\n## Handshake\n' }
  const cwd = makeFolder(files)
  expect(await runInProcess(['publish', '.', '--data', 'data'], { cwd, env })).toMatchObject({ status: 0 })
  const database = new DatabaseSync(join(cwd, 'data', 'catalog.sqlite'))
  database.exec(sql)
  database.close()
  const args = ['--data', join(cwd, 'data')]
  return Promise.all(Array.from({ length: count }, () => startServer(args, env)))
}

async function readMetrics({ url }: TestServer): Promise<readonly string[]> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return (await response.text()).split('\n').filter((line) => line.startsWith('packs_search_index'))
}

interface LogLine {
  readonly msg: string
  readonly code?: string
  readonly packs?: number
}

function readLog({ log }: TestServer): LogLine[] {
  return log.map((line) => JSON.parse(line) as LogLine)
}

it('indexes packs that wait after the start, in one of several servers', async () => {
  const servers = await startServers('update packs set indexed = null', 2)
  const [server] = servers as [TestServer]
  await waitUntil('all packs are indexed', async () =>
    (await readMetrics(server)).includes('packs_search_index_state{state="ready"} 1'),
  )
  expect(await readMetrics(server)).toEqual([
    'packs_search_index_state{state="ready"} 1',
    'packs_search_index_state{state="building"} 0',
    'packs_search_index_state{state="missing"} 0',
    'packs_search_index_state{state="damaged"} 0',
    'packs_search_index_waiting 0',
  ])
  for (const each of servers) expect(await each.end('SIGTERM')).toBe(0)
  const lines = servers.flatMap(readLog)
  expect(lines.filter(({ msg }) => msg === 'packs indexed for search')).toMatchObject([{ packs: 3 }])
  expect(lines.map(({ code }) => code)).toContain('search_index_missing')
})

it('tells the operator how to repair a damaged index, and goes on', async () => {
  const [server] = (await startServers('drop table search_terms', 1)) as [TestServer]
  await waitUntil('the log names the damage', () =>
    Promise.resolve(readLog(server).some(({ code }) => code === 'search_index_damaged') || undefined),
  )
  const line = readLog(server).find(({ code }) => code === 'search_index_damaged')
  expect(line?.msg).toContain('run `pack index --rebuild`')
  expect(await readMetrics(server)).toContain('packs_search_index_state{state="damaged"} 1')
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
})

it('names a version that it cannot index', async () => {
  const damage = `update packs set indexed = null; delete from outlines;
    update versions set document = x'00' where pack = (select number from packs where slug = 'ssh')`
  const [server] = (await startServers(damage, 1)) as [TestServer]
  await waitUntil('the others are indexed', async () =>
    (await readMetrics(server)).includes('packs_search_index_waiting 1'),
  )
  expect(await server.end('SIGTERM')).toBe(0)
  const lines = readLog(server).filter(({ msg }) => msg.includes('pack verify --all'))
  expect(lines).toMatchObject([{ slug: 'ssh', version: '1.0.0' }])
})
