import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClaimedAccount, createKey, openCatalog, type Tier } from '@packs/catalog'
import { createInProcessRunner, readSource } from '@packs/publisher'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'packs-agent-'))
const data = join(folder, 'data')
const packs = join(root, 'examples', 'packs')
const source = readFileSync(join(packs, 'tls-certificates.md'), 'utf8')
const actor = { kind: 'operator', id: 'ada' } as const
let keys: Record<Tier, string>
let url: string
let server: ReturnType<typeof spawn>

beforeAll(async () => {
  const catalog = await openCatalog({ url: join(data, 'catalog.sqlite') })
  const runner = createInProcessRunner(catalog)
  const requests = readdirSync(packs).map((path) => {
    return { ...readSource({ bytes: readFileSync(join(packs, path)), path }), actor }
  })
  await runner.publish(requests)
  await runner.close()
  const makeKey = async (tier: Tier): Promise<string> => {
    const { account } = await createClaimedAccount(
      catalog,
      { email: `${tier}@example.org`, tier, daily: null, actor },
      new Date(),
    )
    return (await createKey(catalog, { accountId: account.id, name: 'agent', actor }, new Date())).key
  }
  keys = { free: await makeKey('free'), pro: await makeKey('pro') }
  await catalog.close()
  server = spawn(
    process.execPath,
    ['-C', 'source', join(root, 'packages/cli/bin/pack.js'), 'serve', '--port', '0', '--data', data],
    {
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  for await (const line of createInterface({ input: server.stdout! })) {
    url = line
    break
  }
}, 60_000)
afterAll(async () => {
  if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit')
  rmSync(folder, { recursive: true })
})

const QUESTION = 'Why does a client not trust a certificate chain?'
const BUDGET = 900

const ask = async (
  key: string,
  cache: string,
  at = url,
  budget = String(BUDGET),
): Promise<{ status: number | null; stdout: string; stderr: string }> => {
  const child = spawn(
    process.execPath,
    ['-C', 'source', join(root, 'examples/search-catalog.ts'), QUESTION, budget],
    {
      env: { ...process.env, PACK_URL: at, PACK_KEY: key, PACK_CACHE: join(folder, cache) },
    },
  )
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, stdout, stderr }
}

const readAnswer = (stdout: string): string => /^Answer {4}(.+)$/m.exec(stdout)?.[1] ?? ''

it('reads the sections that answer, within the budget, and answers with a line of their source', async () => {
  const { status, stdout, stderr } = await ask(keys.pro, 'pro')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^Read {6}TLS certificates in operation › What the server presents, \d+ tokens$/m)
  const [, spent, whole] = /^Tokens {4}(\d+) of 900; the whole packs take (\d+)$/m.exec(stdout) ?? []
  expect(Number(spent)).toBeLessThanOrEqual(BUDGET)
  expect(Number(whole)).toBeGreaterThan(3 * BUDGET)
  expect(source.split('\n')).toContain(readAnswer(stdout))
})

it('shows that Free accounts read the sections of the preview, and snippets of others at most', async () => {
  const { stdout, stderr } = await ask(keys.free, 'free')
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Read {6}TLS certificates in operation › What the server presents, \d+ tokens$/m)
  expect(stdout).not.toMatch(/› Diagnosis, \d+ tokens/)
  expect(source.split('\n')).toContain(readAnswer(stdout))
})

it('answers the same from its cache in recovery mode, and when the service is unreachable', async () => {
  const before = readAnswer((await ask(keys.pro, 'kept')).stdout)
  const catalog = await openCatalog({ url: join(data, 'catalog.sqlite') })
  await catalog.settings.setMode('recovery', { actor })
  await catalog.close()
  await vi.waitFor(async () => expect((await fetch(`${url}/api/v1/packs`)).status).toBe(503), {
    timeout: 60_000,
  })
  const recovery = await ask(keys.pro, 'kept')
  expect(recovery.stdout).toContain('From the cache, because the catalog is not available (recovery_mode')
  expect(readAnswer(recovery.stdout)).toBe(before)
  const nobody = await ask(keys.pro, 'kept', `http://127.0.0.1:${await findClosedPort()}`)
  expect(nobody.stdout).toContain('(the service is unreachable): /api/v1/search?q=')
  expect(readAnswer(nobody.stdout)).toBe(before)
  const without = await ask(keys.pro, 'none')
  expect(without.status).toBe(1)
  expect(without.stderr).toContain('there is no cached copy')
})

it.each(['0', '-5', 'many'])('rejects the budget %s', async (budget) => {
  const { status, stdout, stderr } = await ask(keys.pro, 'pro', url, budget)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('with a budget in tokens')
})

async function findClosedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}
