import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../src/index.ts'

const KEY = 'kp_secret-of-the-test'

/** A `fetch` that answers as a catalog does and records where a key went. */
function recordKeys(): { readonly fetch: typeof fetch; readonly sent: string[] } {
  const sent: string[] = []
  return {
    sent,
    fetch: (address, init) => {
      const key = new Headers(init?.headers).get('x-api-key')
      sent.push(`${new URL(address as string).host} ${key === KEY}`)
      const status = { mode: 'online', since: 'today', message: null, retry_after: null }
      return Promise.resolve(Response.json(status))
    },
  }
}

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a key over http', () => {
  // prettier-ignore
  const urls = [
    'http://packs.example', 'http://packs.example/api/v1', 'HTTP://PACKS.EXAMPLE:8080', 'http://10.0.0.1',
    'http://0.0.0.0:8080', 'http://128.0.0.1', 'http://127.0.0.1.evil.example', 'http://127.evil.example',
    'http://localhost.evil.example', 'http://evil-localhost', 'http://[::]', 'http://[::2]',
    'http://[::ffff:127.0.0.1]',
  ]
  it.each(urls)('is refused for %s, before any request and without the key in the error', (url) => {
    const { fetch, sent } = recordKeys()
    const create = (): unknown => createClient({ url, key: KEY, fetch, retries: 0 })
    expect(create).toThrow(
      expect.objectContaining({
        name: 'ClientError',
        code: 'insecure_url',
        message: expect.not.stringContaining(KEY),
        hint: expect.stringContaining('allowHttp'),
      }),
    )
    expect(sent).toEqual([])
  })

  // prettier-ignore
  const moreUrls = [
    'http://127.0.0.1:8080', 'http://127.255.0.9', 'http://127.1', 'http://0x7f000001', 'http://[::1]:8080',
    'http://localhost', 'http://LocalHost:8080/api/v1/', 'https://packs.example',
  ]
  it.each(moreUrls)('or https is sent to %s', async (url) => {
    const { fetch, sent } = recordKeys()
    await createClient({ url, key: KEY, fetch }).status()
    expect(sent).toEqual([`${new URL(url).host} true`])
  })

  it('is sent to any host with allowHttp', async () => {
    const { fetch, sent } = recordKeys()
    await createClient({ url: 'http://packs.example', key: KEY, allowHttp: true, fetch }).status()
    expect(sent).toEqual(['packs.example true'])
  })

  it('is not needed: without a key any host is asked', async () => {
    const { fetch, sent } = recordKeys()
    await createClient({ url: 'http://packs.example', fetch }).status()
    expect(sent).toEqual(['packs.example false'])
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const followed: unknown[] = []
    const other = await listen(({ headers }, response) => {
      followed.push(headers['x-api-key'])
      response.end('{}')
    })
    const url = await listen((_, response) => void response.writeHead(status, { location: other }).end())
    for (const allowHttp of [false, true])
      await expect(createClient({ url, key: KEY, allowHttp, retries: 0 }).usage()).rejects.toMatchObject({
        code: 'invalid_response',
        message: expect.not.stringContaining(KEY),
      })
    expect(followed).toEqual([])
  })
})
