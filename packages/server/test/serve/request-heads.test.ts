import { describe, expect, it } from 'vitest'
import { readResponses, sendBytes } from '../../../test-kit/test/start-api.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const PATHS = [
  '/',
  '/browse',
  '/browse/tls',
  '/settings',
  '/docs',
  '/livez',
  '/metrics',
  '/nothing',
  '/api/v1/packs',
]
const HOST = 'Host: localhost\r\nConnection: close\r\n'

async function start(): Promise<TestServer> {
  return startServer(['--data', makeFolder()], { DATABASE_URL: '' })
}

async function send({ port }: TestServer, head: string): Promise<readonly ApiResponse[]> {
  return readResponses(await sendBytes(port, `${head}\r\n`))
}

describe('a request with', () => {
  it('an unknown expectation gets 417 as a problem on every path', async () => {
    const server = await start()
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const head = `${method} ${path} HTTP/1.1\r\n${HOST}Expect: a-coffee\r\n`
        const [response, ...more] = await send(server, head)
        expect([method, path, response?.status, more]).toEqual([method, path, 417, []])
        expect(response?.json).toMatchObject({ code: 'expectation_failed', instance: path })
      }
    }
  })

  it('the expectation 100-continue is answered as usual', async () => {
    const server = await start()
    const form = 'email=a%40example.org&password=wrong-horse&return='
    const head = `POST /settings/sign-in HTTP/1.1\r\n${HOST}Origin: http://127.0.0.1:${server.port}
Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\nExpect: 100-continue\r\n`
    const bytes = await sendBytes(server.port, `${head.replaceAll(/\r?\n/g, '\r\n')}\r\n${form}`)
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/)
    expect(bytes.toString()).toContain('The email or the password is wrong')
  })

  it('another method is not allowed on a page', async () => {
    const server = await start()
    for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'PUT']) {
      const [response] = await send(server, `${method} /browse HTTP/1.1\r\n${HOST}`)
      expect([method, response?.status, response?.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  it('an odd head never fails the server', async () => {
    const server = await start()
    const heads = PATHS.flatMap((path) => [
      `GET ${path} HTTP/1.0\r\n`,
      `GET http://other.example${path} HTTP/1.1\r\n${HOST}`,
      `GET ${path}%ff%zz HTTP/1.1\r\n${HOST}`,
      `GET ${path}?search=%ff%zz HTTP/1.1\r\n${HOST}`,
      `GET ${path}/%2e%2e/%2f%00 HTTP/1.1\r\n${HOST}`,
      `GET ${path}${'/a'.repeat(3000)} HTTP/1.1\r\n${HOST}`,
      `GET ${path} HTTP/1.1\r\n${HOST}Cookie: ${'a'.repeat(20_000)}\r\n`,
      `GET ${path} HTTP/1.1\r\n${HOST}Cookie: packs.session_token=%ff; =; packs.notice=%\r\n`,
      `GET ${path} HTTP/1.1\r\n${HOST}${'X-A: b\r\n'.repeat(120)}`,
      `GET ${path} HTTP/1.1\r\n${HOST}Accept: ${'text/html;q=x,'.repeat(500)}\r\n`,
      `GET ${path} HTTP/1.1\r\n${HOST}If-None-Match: "\r\nRange: bytes=5-1\r\n`,
      `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: a/b;c\r\nContent-Length: 2\r\n\r\n{}`,
      `POST ${path} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `CONNECT ${path} HTTP/1.1\r\n${HOST}`,
    ])
    for (const head of heads) {
      const text = (await sendBytes(server.port, `${head}\r\n`)).toString('latin1')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
      expect([head.slice(0, 80), status >= 200 && status < 500]).toEqual([head.slice(0, 80), true])
    }
  })
})
