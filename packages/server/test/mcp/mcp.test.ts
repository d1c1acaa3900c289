import { request as sendRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAnswer, type ToolAnswer } from '../../../mcp/test/open-session.ts'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { startMcp, type TestMcp } from './start-mcp.ts'

const mcp = await startMcp()

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
}

/** Sends a request as a program does. */
async function send({ method = 'POST', headers = {}, body }: Sent = {}): Promise<Response> {
  return fetch(mcp.url, {
    method,
    headers: {
      ...(body !== null && { 'content-type': 'application/json' }),
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(body !== null && { body: body ?? JSON.stringify(initialize) }),
  })
}

const call = async (
  client: Awaited<ReturnType<TestMcp['connect']>>,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolAnswer> => {
  const answer = readAnswer(await client.callTool({ name, arguments: args }))
  // A search has a limit of time, which a busy machine may exceed.
  return answer.text.endsWith(' (unavailable)') ? call(client, name, args) : answer
}

describe.each([
  ['the current revision', { pin: '2026-07-28' }],
  ['an earlier revision', 'legacy'],
] as const)('a session in %s', (_revision, mode) => {
  it('searches, reads and gets an outline, and has no resources', async () => {
    const key = await mcp.addKey('pro', 100)
    const client = await mcp.connect(key, mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_packs', 'read_pack'])
    expect(client.getServerCapabilities()).not.toHaveProperty('resources')
    expect(await mcp.countUsed(key)).toBe(0)
    const found = await call(client, 'search_packs', { query: 'renew with an ACME client' })
    expect(found.text).toMatch(/<doc id="tls-certificates#renewal…renewal-by-hand">[^]*### Automatic renewal/)
    const asked = { pack: 'tls-certificates@1.0.0', section: 'automatic-renewal' }
    const section = await call(client, 'read_pack', asked)
    expect(section.text).toContain('An ACME client renews by itself.')
    const outline = await call(client, 'read_pack', { pack: 'tls-certificates', max_tokens: 200 })
    expect(outline.text).toContain('- automatic-renewal (')
    expect(await mcp.countUsed(key)).toBe(3)
    expect(found.data).toMatchObject({ passages: [{ pack: 'tls-certificates', version: '1.0.0' }] })
  })
})

describe('a key', () => {
  it('is required, and the response says how to send it', async () => {
    const response = await send()
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="packs", ApiKey')
    expect(await response.json()).toMatchObject({ code: 'missing_api_key' })
  })

  it.each([
    ['x-api-key', (key: string) => ({ 'x-api-key': key })],
    ['Authorization', (key: string) => ({ authorization: `bearer ${key}` })],
  ])('is accepted in %s', async (_name, write) => {
    expect((await send({ headers: write(mcp.pro) })).status).toBe(200)
  })

  it('that is not valid is counted together with those that the API gets', async () => {
    const own = await startMcp()
    const attempts = Array.from({ length: 300 }, (_, at) =>
      at % 2 === 0
        ? fetch(own.url, { method: 'POST', headers: { authorization: 'Bearer wrong' } })
        : fetch(`${own.origin}/api/v1/packs`, { headers: { 'x-api-key': 'wrong' } }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401]))
    const ask = async (key: string): Promise<number[]> => [
      (await fetch(own.url, { method: 'POST', headers: { authorization: `Bearer ${key}` } })).status,
      (await fetch(`${own.origin}/api/v1/packs`, { headers: { 'x-api-key': key } })).status,
    ]
    expect(await ask('wrong')).toEqual([429, 429])
    expect(await ask(own.pro)).toEqual([415, 200])
  })
})

describe('the quota', () => {
  it('that is used up is an error that a model can read', async () => {
    const client = await mcp.connect(await mcp.addKey('pro', 1))
    await call(client, 'search_packs', { query: 'certificate' })
    expect((await call(client, 'search_packs', { query: 'certificate' })).text).toMatch(
      /^All 1 requests of this UTC day are used up\. The quota resets at \d{4}-\d\d-\d\dT00:00:00\.000Z\. Answer with what you have\. \(quota_exceeded\)$/,
    )
    expect((await client.listTools()).tools).toHaveLength(2)
  })
})

describe('a Free account', () => {
  it('gets the preview, and says so', async () => {
    const key = await mcp.addKey('free', 100)
    const client = await mcp.connect(key)
    const whole = await call(client, 'read_pack', { pack: 'tls-certificates' })
    expect(whole.text).toMatch(
      /^tls-certificates@1\.0\.0 \(preview: only the beginning; the rest needs a Pro key\)\n\nDocuments .*\n<doc id="tls-certificates">\n# TLS certificates\n/,
    )
    expect(whole.text).not.toContain('openssl')
    expect(whole.data).toMatchObject({ digest: null })
    const closed = await call(client, 'read_pack', { pack: 'tls-certificates', section: 'revocation' })
    expect(closed).toMatchObject({ isError: true })
    expect(closed.text).toMatch(/Free accounts.*\(tier_required\)$/)
    expect(await mcp.countUsed(key)).toBe(1)
    const unknown = await call(client, 'read_pack', { pack: 'tls-certificates', section: 'nothing' })
    expect(unknown.text).toMatch(/\(section_not_found\)$/)
    expect(await mcp.countUsed(key)).toBe(2)
    // Only part of it lies in the preview.
    const numbers = Array.from({ length: 60 }, (_, at) => at * at * 7919).join(' ')
    const open = 'https://open.example/handbook/of/keys/before-you-begin?from=guide'
    const locked = 'https://locked.example/handbook/of/keys/after-you-have-paid?from=guide'
    const body = `# Guide\n\nShort and [open](${open}). <!-- PATCHMARK -->\n\n## Long\n\n${numbers}. [More](${locked}), [more](${locked}#2).\n`
    await mcp.catalog.packs.commit([await buildVersion({ slug: 'guide', body })])
    const root = await call(client, 'read_pack', { pack: 'guide', section: 'guide' })
    expect(root.text).not.toContain('7919')
    expect(root.text).toContain('Short and [open].')
    const calls = [
      ['read_pack', { pack: 'guide' }],
      ['read_pack', { pack: 'guide', section: 'guide' }],
      ['search_packs', { query: 'short and open guide' }],
    ] as const
    for (const [tool, given] of calls) {
      const answer = await call(client, tool, { ...given, links: true })
      expect([tool, given, answer.text]).toEqual([tool, given, expect.stringContaining(`[open](${open})`)])
      expect(JSON.stringify(answer)).not.toMatch(/PATCHMARK|locked\.example/)
    }
    const found = await call(client, 'search_packs', { query: 'openssl signing request' })
    expect(found.text).toMatch(/^- tls-certificates#renewal-by-hand \(\d+ tokens\) \[needs a Pro key\] /m)
    expect(found.data).toEqual({ match: 'none', passages: [] })
  })
})

describe('a request that is refused', () => {
  it('comes from a page of another site', async () => {
    const headers = { 'x-api-key': mcp.pro, origin: 'https://evil.example' }
    const response = await send({ headers })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'foreign_origin' })
    expect((await send({ headers: { ...headers, origin: mcp.origin } })).status).toBe(200)
  })

  it('comes in recovery mode', async () => {
    mcp.setMode('recovery')
    onTestFinished(() => mcp.setMode('online'))
    const response = await send({ headers: { 'x-api-key': mcp.pro } })
    expect({ status: response.status, wait: response.headers.get('retry-after') }).toEqual({
      status: 503,
      wait: '3600',
    })
  })

  it.each(['GET', 'DELETE', 'PUT'])('has the method %s', async (method) => {
    const response = await send({ method, headers: { 'x-api-key': mcp.pro }, body: null })
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'POST',
    })
  })

  it('has a body over 16 KiB, which the longest call is far from', async () => {
    // Programs may escape each unit of a query.
    const escaped = String.raw`\ud842\udfb7`.repeat(400)
    const longest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_packs","arguments":{"query":"${escaped}"}}}`
    const answered = await send({ headers: { 'x-api-key': mcp.pro }, body: longest })
    expect(await answered.text()).toContain('No section answers this question.')
    const capabilities = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`name${at}`, {}]))
    const params = { ...initialize.params, capabilities: { experimental: capabilities } }
    const body = JSON.stringify({ ...initialize, params })
    const response = await send({ headers: { 'x-api-key': mcp.pro }, body })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: -32_600 } })
  })

  it.each([
    ['no JSON', '{', 'application/json', 400],
    ['an empty body', '', 'application/json', 400],
    ['another type', '{}', 'text/plain', 415],
  ])('has %s', async (_what, body, type, status) => {
    const response = await send({ headers: { 'x-api-key': mcp.pro, 'content-type': type }, body })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.any(String) as string },
    })
  })
})

describe('the endpoint', () => {
  it('keeps no session', async () => {
    const response = await send({ headers: { 'x-api-key': mcp.pro } })
    expect(response.headers.get('mcp-session-id')).toBeNull()
    await response.text()
    const headers = { 'x-api-key': mcp.pro, 'mcp-protocol-version': '2025-06-18' }
    const list = await send({
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    })
    expect(await list.text()).toContain('"search_packs"')
  })

  it('survives a client that goes away, and logs requests without their arguments', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'search_packs', arguments: { query: 'secret certificate' } },
    })
    const before = mcp.log.length
    await new Promise<void>((resolve) => {
      const sent = sendRequest(mcp.url, {
        method: 'POST',
        headers: {
          'x-api-key': mcp.pro,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
      sent.on('error', () => undefined).on('close', resolve)
      sent.end(body, () => sent.destroy())
    })
    const response = await send({ headers: { 'x-api-key': mcp.pro }, body })
    expect(await response.text()).toContain('tls-certificates')
    const lines = mcp.log.slice(before)
    expect(lines.filter(({ route }) => route === '/mcp').at(-1)).toMatchObject({
      method: 'POST',
      status: 200,
      account: expect.any(String) as string,
    })
    expect(JSON.stringify(lines)).not.toContain('secret')
  })
})

it('says of a purged version that it was purged, when and why', async () => {
  const key = await mcp.addKey('pro', 100)
  const client = await mcp.connect(key)
  const { packs } = mcp.catalog
  for (const version of ['1.0.0', '1.1.0'])
    await packs.commit([
      await buildVersion({
        slug: 'leak',
        version,
        ...(version !== '1.0.0' && { parent: '1.0.0' }),
        body: `# Leak\n\nThe ${version} leakword.\n`,
      }),
    ])
  expect((await call(client, 'read_pack', { pack: 'leak@1.1.0' })).text).toContain('leakword')
  expect((await call(client, 'search_packs', { query: 'leakword' })).text).toContain('1.1.0')
  await packs.purge({ slug: 'leak', versions: ['1.1.0'], reason: 'a key leaked', actor })
  const purged = await call(client, 'read_pack', { pack: 'leak@1.1.0' })
  expect(purged.text).toMatch(/leak@1\.1\.0 was purged on \S+: a key leaked\. Nothing of its text is left\./)
  expect((await call(client, 'read_pack', { pack: 'leak' })).text).toContain('1.0.0 leakword')
  expect((await call(client, 'search_packs', { query: 'leakword' })).text).not.toContain('The 1.1.0')
  await packs.purge({ slug: 'leak', reason: 'the rest', actor })
  expect((await call(client, 'read_pack', { pack: 'leak' })).text).toMatch(/The pack leak was purged on/)
})
