import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startMcp } from '../mcp/start-mcp.ts'

const server = await startMcp()

/** Sends a request without decompressing or following what comes back. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(server.origin, { path, headers, method }, resolve).on('error', reject).end()
  const response = await promise
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

describe('compressed pages', () => {
  it.each(['/', '/browse', '/docs', '/nothing-here'])('sends %s compressed', async (path) => {
    const accept = 'text/html'
    const plain = await ask(path, { accept })
    const compressed = await ask(path, { accept, 'accept-encoding': 'br' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'br' })
    expect(compressed.headers['vary']).toMatch(/Accept-Encoding/)
    expect(brotliDecompressSync(compressed.bytes).toString()).toBe(plain.bytes.toString())
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length)
    const head = await ask(path, { accept, 'accept-encoding': 'br' }, 'HEAD')
    expect(head.status).toBe(plain.status)
    expect(head.bytes.length).toBe(0)
  })

  it('sends the stylesheet compressed', async () => {
    const [, path = ''] = /href="(\/assets\/style[^"]+)"/.exec((await ask('/')).bytes.toString()) ?? []
    expect((await ask(path, { 'accept-encoding': 'gzip' })).headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  it('sends pages with secrets as they are', async () => {
    const { headers, bytes } = await ask('/settings', { 'accept-encoding': 'br' })
    expect(headers['content-encoding']).toBeUndefined()
    expect(bytes.toString()).toContain('<!doctype html>')
  })
})

it.each([
  ['if-none-match', '*', 304],
  ['if-match', '*', 200],
  ['if-match', '"x"', 412],
  ['if-match', 'W/"x"', 412],
  ['if-modified-since', 'Fri, 01 Jan 2100 00:00:00 GMT', 200],
])('preconditions hold for pages and files: %s: %s', async (name, value, status) => {
  const home = (await ask('/')).bytes.toString()
  const [, style = ''] = /href="(\/assets\/style[^"]+)"/.exec(home) ?? []
  const paths = ['/', '/browse', '/browse/tls-certificates', style, '/llms.txt', '/sitemap.xml', '/feed.xml']
  for (const path of paths) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(path, { [name]: value, 'accept-encoding': 'br' }, method)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.bytes.length > 0).toBe(method === 'GET' && status !== 304)
    }
    const { etag = '"none"' } = (await ask(path)).headers
    const both = await ask(path, { 'if-match': '"x"', 'if-none-match': etag })
    expect([path, both.status]).toEqual([path, 412])
  }
  expect((await ask('/nothing-here', { [name]: value })).status).toBe(404)
})

describe('addresses of pages', () => {
  it.each([
    ['/browse/', '/browse'],
    ['/browse/TLS-Basics', '/browse/tls-basics'],
    ['/browse/TLS-Basics/?a=B', '/browse/tls-basics?a=B'],
    ['/docs/', '/docs'],
    ['/prompt//', '/prompt'],
  ])('redirects %s to %s', async (path, target) => {
    const { status, headers } = await ask(path, { accept: 'text/html' })
    expect([status, headers.location]).toEqual([301, target])
  })

  it.each(['//example.org/browse/', '/api/v1/packs/', '/browse//example.org/'])(
    'never redirects %s',
    async (path) => {
      const { status, headers } = await ask(path, { accept: 'text/html' })
      expect(headers.location).toBeUndefined()
      expect(status).toBeGreaterThanOrEqual(400)
    },
  )
})
