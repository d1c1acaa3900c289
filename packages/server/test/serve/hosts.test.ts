import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const PATHS = [
  '/',
  '/browse',
  '/settings',
  '/docs',
  '/openapi.json',
  '/api/status',
  '/api/v1/packs',
  '/mcp',
  '/livez',
  '/readyz',
  '/metrics',
  '/assets/nothing',
  '/nothing',
]

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

function ask({ port }: TestServer, path: string, host: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      const { statusCode: status } = response
      response.toArray().then((chunks) => resolve({ status, text: Buffer.concat(chunks).toString() }), reject)
    })
    sent.on('error', reject).end()
  })
}

describe('a server on a loopback address', () => {
  it('answers no page of another host, whatever the path', async () => {
    const server = await startServer(['--data', makeFolder()], { DATABASE_URL: '' })
    for (const path of PATHS) {
      for (const host of [
        'evil.example',
        `evil.example:${server.port}`,
        '127.0.0.1.evil.example',
        '192.0.2.1',
      ]) {
        const { status, text } = await ask(server, path, host)
        expect([path, host, status]).toEqual([path, host, 421])
        expect(JSON.parse(text)).toMatchObject({
          code: 'misdirected_request',
          detail: expect.stringContaining('--base-url') as string,
        })
      }
    }
    for (const method of ['POST', 'OPTIONS', 'DELETE'])
      expect((await ask(server, '/mcp', 'evil.example', method)).status).toBe(421)
    expect(server.log.some((line) => /"status":421/.test(line))).toBe(true)
  })

  it('answers requests for this machine, with any port, and for the host of its base URL', async () => {
    const args = ['--data', makeFolder(), '--base-url', 'https://packs.example.org']
    const server = await startServer(args, { DATABASE_URL: '' })
    const hosts = ['127.0.0.1', 'localhost:1', 'LOCALHOST', '[::1]:8080', '127.0.0.1:9']
    for (const host of [...hosts, 'packs.example.org', 'packs.example.org:443', 'Packs.Example.Org'])
      expect([host, (await ask(server, '/livez', host)).status]).toEqual([host, 200])
    for (const host of ['www.packs.example.org', 'packs.example.org.evil.example', 'localhost.evil.example'])
      expect([host, (await ask(server, '/livez', host)).status]).toEqual([host, 421])
  })
})

it('a server on every address answers requests for any host', async () => {
  const args = ['--data', makeFolder(), '--host', '0.0.0.0', '--base-url', 'https://packs.example.org']
  const server = await startServer(args, { DATABASE_URL: '' })
  expect((await ask(server, '/livez', '192.0.2.1')).status).toBe(200)
})
