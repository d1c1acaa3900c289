import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { plainLine, readExample } from '../../packages/test-kit/test/example-packs.ts'
import { type ProgramResult, runProgram, type ServedCatalog, startCatalog } from './start-catalog.ts'

const examples = join(import.meta.dirname, '..')
const source = readExample('tls-certificates').text
const actor = { kind: 'operator', id: 'ada' } as const
let served: ServedCatalog

beforeAll(async () => {
  served = await startCatalog()
}, 300_000)
afterAll(() => served.close())

const QUESTION = 'Why does a client not trust a certificate chain?'
const BUDGET = 900

const ask = (key: string, cache: string, at = served.url, budget = String(BUDGET)): Promise<ProgramResult> =>
  runProgram(process.execPath, ['-C', 'source', join(examples, 'search-catalog.ts'), QUESTION, budget], {
    env: { ...process.env, PACK_URL: at, PACK_KEY: key, PACK_CACHE: join(served.folder, cache) },
  })

const readAnswer = (stdout: string): string => /^Answer {4}(.+)$/m.exec(stdout)?.[1] ?? ''

it('reads the sections that answer, within the budget, and answers with a line of their source', async () => {
  const { status, stdout, stderr } = await ask(served.keys.pro, 'pro')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^Read {6}TLS certificates in operation › What the server presents, \d+ tokens$/m)
  const [, spent, whole] = /^Tokens {4}(\d+) of 900; the whole packs take (\d+)$/m.exec(stdout) ?? []
  expect(Number(spent)).toBeLessThanOrEqual(BUDGET)
  expect(Number(whole)).toBeGreaterThan(2 * BUDGET)
  expect(source.split('\n').map(plainLine)).toContain(plainLine(readAnswer(stdout)))
})

it('shows that Free accounts read the sections of the preview, and snippets of others at most', async () => {
  const { stdout, stderr } = await ask(served.keys.free, 'free')
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Read {6}TLS certificates in operation › What the server presents, \d+ tokens$/m)
  expect(stdout).not.toMatch(/› Diagnosis, \d+ tokens/)
  expect(source.split('\n').map(plainLine)).toContain(plainLine(readAnswer(stdout)))
})

it('answers the same from its cache in recovery mode, and when the service is unreachable', async () => {
  const before = readAnswer((await ask(served.keys.pro, 'kept')).stdout)
  const catalog = await openCatalog({ url: join(served.data, 'catalog.sqlite') })
  await catalog.settings.setMode('recovery', { actor })
  await catalog.close()
  await vi.waitFor(async () => expect((await fetch(`${served.url}/api/v1/packs`)).status).toBe(503), {
    timeout: 60_000,
  })
  const recovery = await ask(served.keys.pro, 'kept')
  expect(recovery.stdout).toContain('From the cache, because the catalog is not available (recovery_mode')
  expect(readAnswer(recovery.stdout)).toBe(before)
  const nobody = await ask(served.keys.pro, 'kept', `http://127.0.0.1:${await findClosedPort()}`)
  expect(nobody.stdout).toContain('(the service is unreachable): /api/v1/search?q=')
  expect(readAnswer(nobody.stdout)).toBe(before)
  const without = await ask(served.keys.pro, 'none')
  expect(without.status).toBe(1)
  expect(without.stderr).toContain('there is no cached copy')
})

it.each(['0', 'many'])('rejects the budget %s', async (budget) => {
  const { status, stdout, stderr } = await ask(served.keys.pro, 'pro', served.url, budget)
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

it('sends no key over http to another machine', async () => {
  const { status, stdout, stderr } = await ask('kp_secret', 'none', 'http://packs.invalid')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toBe('PACK_KEY is sent over https, and over http to this machine only: correct PACK_URL.\n')
})
