import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { fastify, type FastifyInstance } from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test-kit/test/run-pack.ts'
import { addTryRoutes } from '../../../src/pages/try/try-page.ts'
import { createPageSender, loadAssets } from '../../../src/pages/serve-page.ts'
import { startSite } from '../../start-site.ts'

const CODE = `// ${'A worker. '.repeat(500)}`
const folder = makeFolder()

writeFileSync(join(folder, 'try-worker.js'), CODE)
writeFileSync(join(folder, 'try-worker.js.br'), brotliCompressSync(CODE))
const site = await startSite()
const built = await start(folder)
const unbuilt = await start(join(folder, 'missing'))
afterAll(async () => {
  await Promise.all([site.close(), built.close(), unbuilt.close()])
})

/** Starts the page alone, with what `pnpm build` has written to a folder. */
async function start(dist: string): Promise<FastifyInstance> {
  const { paths } = await loadAssets()
  const facts = { baseUrl: 'http://site.test', contact: undefined, program: '1.0.0' }
  const mode = { mode: 'online', since: '', message: null, retry_after: null } as const
  const viewer = { mode, account: undefined }
  const app = fastify()
  await addTryRoutes(
    app,
    createPageSender(paths, facts, () => Promise.resolve(viewer)),
    dist,
  )
  return app
}

describe('/try', () => {
  it('may connect to this site only, and start workers of it', async () => {
    const { statusCode, headers, body } = await site.visit('/try')
    expect(statusCode).toBe(200)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'; worker-src 'self'")
    expect(body).toContain('Nothing leaves your machine')
    expect(body).toMatch(/<noscript.*<code>pack build notes\.md --report/s)
    expect((await site.visit('/browse')).headers['content-security-policy']).not.toContain('worker-src')
  })

  it('transfers at most 30 KB before a text is pasted', async () => {
    const { body } = await site.visit('/try')
    const paths = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(paths).toHaveLength(4)
    const files = await Promise.all(paths.map((path) => site.visit(path)))
    const sizes = [body, ...files.map((file) => file.rawPayload)].map((data) => gzipSync(data).length)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(30_000)
  })

  it('names the size of what it loads, as the browser accepts it', async () => {
    const sizes = [
      ['gzip, deflate, br', brotliCompressSync(CODE).length],
      ['gzip', gzipSync(CODE).length],
      ['br;q=0', CODE.length],
    ] as const
    for (const [accepted, size] of sizes) {
      const { body } = await built.inject({ url: '/try', headers: { 'accept-encoding': accepted } })
      expect(body).toContain(`data-size="${Math.ceil(size / 1000)} KB"`)
      expect(body).toContain(`Downloads ${Math.ceil(size / 1000)} KB on first use.`)
    }
  })

  it('has an example, which is one of those of the project', async () => {
    const [, path] = /data-example="([^"]+)"/.exec((await built.inject('/try')).body)!
    const { body, headers } = await built.inject(path!)
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
    const source = new URL('../../../../../examples/packs/payments-api-reference.md', import.meta.url)
    // As the pack has it, which begins with the line end after the front matter.
    expect(body).toBe(readFileSync(source, 'utf8').replace(/^---\n[^]*?\n---\n/, ''))
    expect(body).toMatch(/^\n# Harbour Payments API reference\n/)
  })

  it('says so if the worker was not built', async () => {
    const { statusCode, body } = await unbuilt.inject('/try')
    expect(statusCode).toBe(200)
    expect(body).toContain('was built without the compressor for browsers')
    expect(body).not.toContain('id="~try"')
  })
})

describe('the worker', () => {
  it.each([
    ['br', 'gzip, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    [undefined, 'identity', (bytes: Buffer) => bytes],
  ] as const)('is sent as %s to who accepts %s', async (encoding, accepted, decompress) => {
    const [, path] = /data-worker="([^"]+)"/.exec((await built.inject('/try')).body)!
    expect(path).toMatch(/^\/assets\/try-worker\.[\w-]{12}\.js$/)
    const { headers, rawPayload } = await built.inject({
      url: path!,
      headers: { 'accept-encoding': accepted },
    })
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    expect(headers['content-encoding']).toBe(encoding)
    expect(decompress(rawPayload).toString()).toBe(CODE)
  })
})
