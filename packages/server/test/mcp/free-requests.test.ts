import { describe, expect, it } from 'vitest'
import { startMcp } from './start-mcp.ts'

const mcp = await startMcp()

const post = (key: string, body: string): Promise<Response> =>
  fetch(mcp.url, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body,
  })

const send = (key: string, method: string, params: object = {}): Promise<Response> =>
  post(key, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))

const read = { name: 'read_pack', arguments: { pack: 'tls-certificates' } }
const locked = { name: 'read_pack', arguments: { pack: 'tls-certificates', section: 'revocation' } }

describe('answers that are not charged', () => {
  it('are refused beyond sixty a minute, while reads and pings go on', async () => {
    const key = await mcp.addKey('pro', 100)
    for (let count = 0; count < 60; count++) {
      const response = await send(key, 'tools/list')
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('result') as string,
      ])
    }
    const refused = await send(key, 'tools/list')
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"burst";q=60;w=60'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' })
    expect((await fetch(`${mcp.origin}/api/v1/usage`, { headers: { 'x-api-key': key } })).status).toBe(200)
    expect((await send(key, 'ping')).status).toBe(200)
    expect(await (await send(key, 'tools/call', read)).text()).toContain('# TLS certificates')
    expect(await mcp.countUsed(key)).toBe(1)
  })

  it('are counted with those of the API', async () => {
    const key = await mcp.addKey('free', 100)
    const headers = { 'x-api-key': key }
    for (let count = 0; count < 60; count++)
      await (await fetch(`${mcp.origin}/api/v1/packs/download`, { headers })).text()
    expect((await send(key, 'tools/list')).status).toBe(429)
  })

  it('tell a model beyond sixty locked sections a minute to wait', async () => {
    const key = await mcp.addKey('free', 100)
    const answers: string[] = []
    for (let count = 0; count < 61; count++)
      answers.push(await (await send(key, 'tools/call', locked)).text())
    expect(answers.slice(0, 60).every((answer) => answer.includes('(tier_required)'))).toBe(true)
    expect(answers.at(-1)).toMatch(/Wait \d+ seconds.*\(too_many_requests\)/)
    expect(await mcp.countUsed(key)).toBe(0)
  })

  it('include calls with arguments that fit no answer', async () => {
    const key = await mcp.addKey('pro', 100)
    const small = { name: 'read_pack', arguments: { pack: 'tls-certificates', next: 'x' } }
    const answers: string[] = []
    for (let count = 0; count < 61; count++) answers.push(await (await send(key, 'tools/call', small)).text())
    expect(answers[0]).toContain('(invalid_arguments)')
    expect(answers.at(-1)).toContain('(too_many_requests)')
    expect(await mcp.countUsed(key)).toBe(0)
  })

  it('do not include initialize and discovery', async () => {
    const key = await mcp.addKey('pro', 100)
    for (let count = 0; count < 61; count++) await (await mcp.connect(key, { pin: '2026-07-28' })).close()
    expect((await send(key, 'tools/list')).status).toBe(200)
  })
})

describe('a batch', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  it.each([
    ['of one', JSON.stringify([list])],
    ['of many', JSON.stringify(Array(100).fill(list))],
    ['of none', '[]'],
    ['after a byte order mark', `\ufeff${JSON.stringify([list])}`],
  ])('%s is refused as a whole', async (_what, body) => {
    const response = await post(mcp.pro, body)
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: expect.stringMatching(/one message/) as string },
      },
    ])
  })
})
