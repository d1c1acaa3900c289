import { join } from 'node:path'
import { createKeyText } from '../../../catalog/src/accounts/issue-key.ts'
import { describe, expect, it } from 'vitest'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'
import { addCustomer } from './customers.ts'

const TOKEN = 'a-token-of-the-operator'
const env = { DATABASE_URL: '', REDIS_URL: '', PACK_OPERATOR_TOKEN: TOKEN }
const headers = { authorization: `Bearer ${TOKEN}` }

async function readStatus(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init)
  await response.arrayBuffer()
  return response.status
}

describe('--admin-port', () => {
  it('has the pages of the operator, by token, and health with the version; the public port has health', async () => {
    const server = await startServer(['--data', makeFolder(), '--admin-port', '0'], env)
    const admin = `http://127.0.0.1:${server.adminPort}`
    expect(await (await fetch(`${admin}/readyz`)).json()).toEqual({
      status: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' })
    expect(await readStatus(`${admin}/livez`)).toBe(200)
    expect(await readStatus(`${admin}/metrics`)).toBe(401)
    expect(await (await fetch(`${admin}/metrics`, { headers })).text()).toMatch(
      /^packs_build_info\{version="\d+\.\d+\.\d+",node="24\./m,
    )
    expect(await readStatus(`${server.url}/metrics`, { headers })).toBe(404)
    for (const path of ['/browse', '/api/status'])
      expect(await readStatus(`${admin}${path}`, { headers })).toBe(404)
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it('is one that can be used, or the start ends with what is wrong', async () => {
    const server = await startServer(['--data', makeFolder()], env)
    const start = (port: string) =>
      runPack(['serve', '--port', '0', '--admin-port', port, '--data', makeFolder(), '--json'], { env })
    const used = await start(String(server.port))
    expect([used.status, JSON.parse(used.stdout)]).toMatchObject([5, { error: { code: 'address_in_use' } }])
    expect((await start('localhost:metrics')).status).toBe(2)
  })
})

describe('/metrics', () => {
  it('counts errors by route and code, and what the catalog has', async () => {
    const data = makeFolder()
    const file = join(data, 'catalog.sqlite')
    const key = await addCustomer(file, 'free', null, [makeVersion({ slug: 'tls' })])
    const server = await startServer(['--data', data], env)
    const ask = (path: string, own: string): Promise<number> =>
      readStatus(`${server.url}${path}`, { headers: { 'x-api-key': own } })
    expect(await ask('/api/v1/packs/tls', key)).toBe(200)
    expect(await ask('/api/v1/packs/none', key)).toBe(404)
    expect(await ask('/api/v1/packs/tls', createKeyText())).toBe(401)
    expect(await readStatus(`${server.url}/browse/none`)).toBe(404)
    const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
    expect(text.match(/^packs_(?:http_problems|catalog).* .*$/gm)?.toSorted()).toEqual([
      'packs_catalog_packs 1',
      'packs_catalog_versions 1',
      'packs_http_problems_total{route="/api/v1/packs/:id",status="401",code="invalid_api_key"} 1',
      'packs_http_problems_total{route="/api/v1/packs/:id",status="404",code="pack_not_found"} 1',
      'packs_http_problems_total{route="/browse/:slug",status="404",code="unknown_pack"} 1',
    ])
  })
})
