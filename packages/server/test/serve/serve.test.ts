import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack, startPack } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from './customers.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'

const pack = makeVersion({ slug: 'tls-basics' })

/** Sends a request but for the end of its body. */
async function beginRequest(port: number, key: string): Promise<{ finish(): Promise<string> }> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Accept: application/json, text/event-stream',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return {
    async finish() {
      socket.write(body)
      let text = ''
      for await (const part of socket) text += String(part)
      return text
    },
  }
}

describe('pack serve', () => {
  it('serves the embedded catalog, logs each request, and shuts down on a signal', async () => {
    const data = makeFolder()
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'pro', null, [pack])
    const server = await startServer(['--data', data])
    const answer = await fetch(`${server.url}/api/v1/packs/tls-basics`, { headers: { 'x-api-key': key } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ slug: 'tls-basics', preview: false })
    expect((await fetch(`${server.url}/livez`)).status).toBe(200)
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' })
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ msg }) => msg)).toEqual([
      'serving',
      'request',
      'request',
      'request',
      'request',
      'shutting down: open requests are answered, new connections refused',
      'stopped',
    ])
    expect(lines[1]).toMatchObject({ method: 'GET', route: '/api/v1/packs/:id', status: 200 })
    expect(lines[1]?.['request_id']).toBe(answer.headers.get('x-request-id'))
  })

  it('prints its address on stdout and only the log on stderr', async () => {
    const child = startPack(['serve', '--port', '0'], { cwd: makeFolder() })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [printed, logged]: Buffer[][] = [[], []]
    child.stdout!.on('data', (chunk: Buffer) => printed!.push(chunk))
    child.stderr!.on('data', (chunk: Buffer) => logged!.push(chunk))
    const ended = once(child, 'close')
    await vi.waitFor(() => expect(printed).not.toEqual([]), { timeout: 60_000 })
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(Buffer.concat(printed!).toString()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
    const lines = Buffer.concat(logged!).toString().trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as { msg: string })).toMatchObject([
      { msg: 'creating an empty catalog' },
      { msg: 'serving', operator_token_file: expect.stringMatching(/operator-token$/) },
      { msg: expect.stringMatching(/^shutting down/) },
      { msg: 'stopped' },
    ])
  })

  it('finishes open requests before it ends, and accepts no new ones', async () => {
    const data = makeFolder()
    const versions = Array.from({ length: 60 }, (_, at) =>
      makeVersion({ slug: `p-${at}`, content: '. '.repeat(125_000) }),
    )
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'pro', null, versions)
    const server = await startServer(['--data', data])
    const headers = { 'x-api-key': key, accept: 'application/x-ndjson', 'accept-encoding': 'identity' }
    const begun = await beginRequest(server.port, key)
    const download = await fetch(`${server.url}/api/v1/packs/download`, { headers })
    const ended = server.end('SIGTERM')
    await untilRefused(server.url)
    expect(await begun.finish()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\bconnection: close\r\n/i)
    expect((await download.text()).split('\n')).toHaveLength(61)
    expect(await ended).toBe(0)
  })

  it('lists the allowed methods of a path if another is used, and notices recovery mode while running', async () => {
    const data = makeFolder()
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'free', null, [pack])
    const server = await startServer(['--data', data])
    const allowed = {
      '/livez': 'GET, HEAD',
      '/readyz': 'GET, HEAD',
      '/metrics': 'GET, HEAD',
      '/': 'GET, HEAD',
      '/browse': 'GET, HEAD',
      '/browse/tls-basics': 'GET, HEAD',
      '/settings/keys': 'GET, HEAD, POST',
    }
    for (const [path, allow] of Object.entries(allowed)) {
      const answer = await fetch(`${server.url}${path}`, { method: 'DELETE' })
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow])
      expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', instance: path })
    }
    expect((await fetch(`${server.url}/nothing`, { method: 'DELETE' })).status).toBe(404)

    const ask = async (): Promise<number> =>
      (await fetch(`${server.url}/api/v1/usage`, { headers: { 'x-api-key': key } })).status
    expect(await ask()).toBe(200)
    for (const [mode, status] of [
      ['recovery', 503],
      ['online', 200],
    ] as const) {
      await runInProcess(['mode', mode, '--data', data])
      await waitUntil(`the server answers ${status}`, async () => (await ask()) === status)
    }
  })

  it('logs no key, wherever a client sends it', async () => {
    const data = makeFolder()
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'free', null, [pack])
    const server = await startServer(['--data', data])
    const paths = [
      `/api/v1/packs/${key}`,
      `/api/v1/packs?search=${key}`,
      `/api/v1/packs?key=${key}`,
      `/${key}`,
      `/api/v1/${key}/%ff`,
    ]
    for (const path of paths) {
      await fetch(`${server.url}${path}`, {
        headers: { 'x-api-key': key, 'user-agent': key, referer: `http://a/${key}` },
      })
    }
    await fetch(`${server.url}/api/v1/packs`, {
      headers: { 'x-api-key': `${key}x`, authorization: `Bearer ${key}` },
    })
    await server.end('SIGINT')
    expect(server.log.filter((line) => line.includes('"request"'))).toHaveLength(6)
    expect(server.log.join('\n')).not.toContain(key)
  })
})

describe("the operator's pages", () => {
  it('require the token that was created at the first start, readable only by its owner', async () => {
    const data = makeFolder()
    const server = await startServer(['--data', data])
    const file = join(data, 'operator-token')
    const token = readFileSync(file, 'utf8').trim()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const ask = async (authorization?: string): Promise<Response> =>
      fetch(`${server.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } })
    expect((await ask()).status).toBe(401)
    expect((await ask()).headers.get('www-authenticate')).toContain('Basic')
    expect((await ask(`Bearer ${token}x`)).status).toBe(401)
    expect((await ask(`Basic ${btoa('operator:wrong')}`)).status).toBe(401)
    expect((await ask(`Basic ${btoa(`operator:${token}`)}`)).status).toBe(200)
    const metrics = await (await ask(`Bearer ${token}`)).text()
    expect(metrics).toContain('packs_http_requests_total{route="/metrics",method="GET",status="401"} 4')
    expect(metrics).toContain('packs_recovery_mode 0')
    await server.end('SIGTERM')
    const again = await startServer(['--data', data])
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${again.url}/metrics`, { headers })).status).toBe(200)
    expect(server.log.join('\n')).not.toContain(token)
  })

  it('accept no token of PACK_OPERATOR_TOKEN that is too short', async () => {
    const short = await runInProcess(['serve', '--data', makeFolder(), '--json'], {
      env: { PACK_OPERATOR_TOKEN: 'short' },
    })
    expect(short.status).toBe(2)
    expect(JSON.parse(short.stdout)).toMatchObject({ error: { code: 'usage' } })
  })
})

describe('the address', () => {
  it('is rejected if another program listens there', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const run = await runPack(['serve', '--data', makeFolder(), '--port', String(port), '--json'])
    expect({
      status: run.status,
      code: (JSON.parse(run.stdout) as { error: { code: string } }).error.code,
    }).toEqual({ status: 5, code: 'address_in_use' })
  })

  it.each([
    [['--host', '0.0.0.0'], '--base-url'],
    [['--base-url', 'https://packs.example.org/path'], '--base-url'],
    [['--base-url', 'ftp://packs.example.org'], '--base-url'],
    [['--base-url', 'https://user:secret@packs.example.org'], '--base-url'],
    [
      ['--trust-proxy', 'everyone'],
      '--trust-proxy (PACK_TRUST_PROXY) "everyone" is neither an IP address nor a network',
    ],
    [['--trust-proxy', '10.0.0.1,10.0.0.2'], 'for example --trust-proxy 192.0.2.7 10.0.0.0/8'],
    [
      ['--trust-proxy', '10.0.0.0/33'],
      '--trust-proxy (PACK_TRUST_PROXY) "10.0.0.0/33" is a network whose prefix length is not a number from 1 to 32',
    ],
    [
      ['--trust-proxy', '::/0'],
      '--trust-proxy (PACK_TRUST_PROXY) "::/0" is a network whose prefix length is not a number from 1 to 128',
    ],
    [['--port', '65536'], '--port'],
    [['--port', '1e3'], '--port'],
  ])('is rejected for %j with a message that names the option', async (args, named) => {
    const run = await runInProcess(['serve', '--data', makeFolder(), '--json', ...args])
    expect(run.status).toBe(2)
    const { error } = JSON.parse(run.stdout) as { error: { code: string; message: string; hint: string } }
    expect(error.code).toBe('usage')
    expect(error.message + error.hint).toContain(named)
  })
})

/** Sends requests until the server refuses connections. */
async function untilRefused(url: string): Promise<void> {
  for (;;) {
    const isOpen = await fetch(`${url}/livez`, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    )
    if (!isOpen) return
  }
}
