import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { startCatalogServer } from '../../../test-kit/test/start-server.ts'

const server = await startCatalogServer([], { PACK_OPERATOR_TOKEN: 'a-token-of-the-operator' })
const { catalog, url } = server

const createKey = async (): Promise<string> => {
  const claimed = { email: `${randomUUID()}@example.org`, tier: 'pro', daily: null, actor } as const
  const { account } = await catalog.accounts.createClaimed(claimed, new Date())
  return (await catalog.keys.create({ accountId: account.id, name: 'test', actor }, new Date())).key
}

const createToken = async (slug: string, expiresAt: Date | null = null): Promise<string> =>
  (await catalog.tokens.create({ slug, name: 'test', expiresAt, actor }, new Date())).token

const all = await createToken('*')
const TEXT = '# Harbour\n\nThe gate of the harbour opens at dawn.\n'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: Record<string, unknown>
}

async function put(slug: string, body: unknown, token: string | undefined = all): Promise<Answer> {
  return send(`/publish/v1/packs/${slug}`, {
    method: 'PUT',
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  })
}

async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url + path, init)
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    json: JSON.parse(text || '{}') as Answer['json'],
  }
}

describe('a publish over HTTP', () => {
  it('publishes a first version, then nothing, then the next version', async () => {
    const body = { path: 'docs/harbour.md', text: TEXT, commit: 'a'.repeat(40) }
    const first = await put('harbour', body)
    expect(first).toMatchObject({
      status: 201,
      json: {
        file: 'docs/harbour.md',
        slug: 'harbour',
        version: '1.0.0',
        status: 'published',
        bump: null,
        reasons: ['it is the first version'],
        code: null,
        message: null,
        hint: null,
        before: null,
      },
    })
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.headers.get('access-control-allow-origin')).toBeNull()
    const { provenance } = (await catalog.packs.head('harbour'))!
    expect(provenance).toMatchObject({ path: 'docs/harbour.md', git_commit: 'a'.repeat(40) })
    expect(provenance).not.toHaveProperty('given')
    const [entry] = await catalog.audit.list({ limit: 1, action: 'version.published' })
    const tokens = await catalog.tokens.list()
    expect(entry).toMatchObject({ target: 'harbour@1.0.0', actor: { kind: 'token', id: tokens[0]!.id } })

    const again = await put('harbour', body)
    expect(again).toMatchObject({ status: 200, json: { version: '1.0.0', status: 'unchanged' } })
    const next = await put('harbour', { ...body, text: `${TEXT}\n## Tides\n\nTwice a day.\n` })
    expect(next).toMatchObject({ status: 201, json: { version: '1.1.0', bump: 'minor', before: '1.0.0' } })
    const job = await send(`/publish/v1/jobs/${String(next.json['job'])}`, {
      headers: { authorization: `Bearer ${all}` },
    })
    expect(job).toMatchObject({
      status: 201,
      json: { version: '1.1.0', status: 'published', before: '1.0.0' },
    })
  })

  it('takes the slug of the URL if the source has none, and refuses another one of its own', async () => {
    const body = { path: 'notes.md', text: TEXT }
    expect(await put('other-name', body)).toMatchObject({ status: 201, json: { slug: 'other-name' } })
    const { provenance } = (await catalog.packs.head('other-name'))!
    expect(provenance.given).toEqual({ slug: 'other-name' })
    const named = { path: 'notes.md', text: `---\ntitle: Notes\nslug: mine\n---\n${TEXT}` }
    expect(await put('yours', named)).toMatchObject({
      status: 400,
      json: {
        code: 'bad_source',
        type: '/docs/errors/invalid_publish',
        detail: 'In notes.md, slug is "mine", but the URL says "yours"',
        hint: 'publish it under its slug, or change its front matter',
        outcome: 'failed',
        messages: [
          {
            file: 'notes.md',
            line: 3,
            severity: 'error',
            message: 'slug is "mine", but the URL says "yours"',
            hint: 'publish it under its slug, or change its front matter',
          },
        ],
      },
    })
    expect(await put('mine', named)).toMatchObject({ status: 201, json: { slug: 'mine' } })
    expect(await put('yours', { ...body, slug: 'mine' })).toMatchObject({
      status: 400,
      json: { code: 'bad_source', messages: [{ message: 'slug is "mine", but the URL says "yours"' }] },
    })
    expect(await put('mine', { ...named, slug: 'ours' })).toMatchObject({
      json: { slug: 'mine', code: null },
    })
    expect(await put('Yours', body)).toMatchObject({ status: 400, json: { detail: 'The URL names no slug' } })
  })

  it('answers an error of a source with line and column, and a taken version with 409', async () => {
    const bad = await put('bad', { path: 'bad.md', text: '# Bad\n\n<!-- pack:verbatim -->\nText.\n' })
    expect(bad).toMatchObject({
      status: 400,
      json: { code: 'bad_source', slug: 'bad', messages: [{ file: 'bad.md', line: 3, severity: 'error' }] },
    })
    expect(bad.json['hint']).toContain('pack build')
    const text = (line: string): string => `---\ntitle: Named\nversion: 2.0.0\n---\n${line}\n`
    expect(await put('named', { path: 'named.md', text: text('One.') })).toMatchObject({ status: 201 })
    expect(await put('named', { path: 'named.md', text: text('Two.') })).toMatchObject({
      status: 409,
      json: { code: 'version_conflict', outcome: 'conflict', slug: 'named', hint: expect.any(String) },
    })
  })

  it.each<[string, unknown, readonly string[]]>([
    ['nothing', '', ['body']],
    ['no JSON', '{"path":', ['body']],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), ['body']],
    ['a list', [], ['body']],
    ['null', null, ['body']],
    ['deep JSON', '['.repeat(1_000_000), ['body']],
    ['a deep value', `{"path":"a.md","text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, ['text']],
    ['fields that do not exist', { path: 'a.md', text: 'a', scheem: 'none', __x: 1 }, ['scheem', '__x']],
    ['a prototype', '{"path":"a.md","text":"a","__proto__":{"bump":"major"}}', ['__proto__']],
    ['missing fields', {}, ['path', 'text']],
    [
      'wrong types',
      { path: 1, text: null, rebuild: 'yes', dialect: 'vue' },
      ['path', 'text', 'dialect', 'rebuild'],
    ],
    ['half of a pair', '{"path":"a.md","text":"a\\ud800b"}', ['text']],
    ['a path of two lines', { path: 'a\n.md', text: 'a' }, ['path']],
    ['a path with NUL', { path: 'a\0.md', text: 'a' }, ['path']],
    ['a long path', { path: 'a'.repeat(4097), text: 'a' }, ['path']],
    [
      'unknown values',
      { path: 'a.md', text: 'a', scheme: 'zip', bump: 'huge', commit: 'HEAD' },
      ['scheme', 'commit', 'bump'],
    ],
    [
      'inner fields',
      { path: 'a.md', text: 'a', minify: { off: ['all'], on: [] } },
      ['minify.off.0', 'minify.on'],
    ],
    [
      'a phrase without text',
      { path: 'a.md', text: 'a', glossary: [{ expansion: '' }] },
      ['glossary.0.expansion'],
    ],
  ])('refuses %s and names the fields', async (_, body, fields) => {
    const { status, json } = await put('hostile', body)
    const errors = json['errors'] as { field: string; detail: string }[]
    expect({ status, code: json['code'] }).toEqual({ status: 400, code: 'invalid_publish' })
    expect(errors.map(({ field }) => field)).toEqual(fields)
    expect(await catalog.packs.head('hostile')).toBeUndefined()
  })

  it('keeps keys and texts that are unusual as they are', async () => {
    const text = '\uFEFF---\ntitle: Odd\n__proto__: x\n---\r\n# Odd\r\n\r\n👩‍🚀 e\u0301 \u2028 „x“\r\n'
    const map = '{"path":"odd.md","front_matter_map":{"__proto__":false},"text":'
    expect(await put('odd', `${map}${JSON.stringify(text)}}`)).toMatchObject({ status: 201 })
    const { provenance } = (await catalog.packs.head('odd'))!
    const bytes = await catalog.sources.get(provenance.source_sha256)
    expect(Buffer.from(bytes!).toString()).toBe(text)
    const nul = await put('nul', { path: 'nul.md', text: '# Nul\n\na\0b\n' })
    expect(nul).toMatchObject({ status: 201 })
  })

  it('refuses what is too large, and other types of bodies', async () => {
    const text = 'a'.repeat(16 * 1024 * 1024 + 1)
    expect(await put('large', { path: 'a.md', text })).toMatchObject({
      status: 413,
      json: { code: 'invalid_publish', status: 413, detail: expect.stringContaining('16 MiB') },
    })
    const huge = await sendHead('PUT', 33 * 1024 * 1024)
    expect(huge).toMatch(/^HTTP\/1\.1 413 /)
    const typed = await send('/publish/v1/packs/typed', {
      method: 'PUT',
      body: TEXT,
      headers: { 'content-type': 'text/markdown', authorization: `Bearer ${all}` },
    })
    expect(typed).toMatchObject({ status: 415, json: { code: 'invalid_publish' } })
    const body = JSON.stringify({ path: 'a.md', text: TEXT })
    for (const [headers, detail] of [
      [{ 'content-encoding': 'gzip' }, /Content-Encoding/],
      [{ 'content-type': 'application/json; charset=utf-16' }, /charset/],
    ] as const) {
      const authorization = `Bearer ${all}`
      const sent = { 'content-type': 'application/json', authorization, ...headers }
      const refused = await send('/publish/v1/packs/typed', { method: 'PUT', body, headers: sent })
      const json = { type: '/docs/errors/invalid_publish', detail: expect.stringMatching(detail) }
      expect(refused).toMatchObject({ status: 415, json })
    }
    const quoted = { 'content-type': 'application/json; charset="UTF-8"', authorization: `Bearer ${all}` }
    const accepted = await send('/publish/v1/packs/typed', { method: 'PUT', body, headers: quoted })
    expect(accepted.status).toBe(201)
  })

  it('says in words what is wrong with a field', async () => {
    const body = { path: 'a.md', commit: 'HEAD', url: 'x' }
    const { errors } = (await put('worded', body)).json as { errors: { detail: string }[] }
    expect(errors.map(({ detail }) => detail)).toEqual([
      'text: missing',
      'url: Invalid input: not an http or https URL',
      'commit: Invalid input: not 40 or 64 lowercase hexadecimal digits',
    ])
  })
})

/** Sends only the head of a request whose body would be so long, and returns the response. */
async function sendHead(method: string, length: number): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  const lines = [
    `${method} /publish/v1/packs/huge HTTP/1.1`,
    `host: 127.0.0.1:${server.port}`,
    `authorization: Bearer ${all}`,
    'content-type: application/json',
    `content-length: ${length}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [data] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return data.toString()
}

describe('a publish token', () => {
  it('publishes what it covers, and says so of all else', async () => {
    const one = await createToken('only-this')
    const body = { path: 'a.md', text: TEXT }
    expect((await put('only-this', body, one)).status).toBe(201)
    for (const slug of ['only-this-2', 'only', 'harbour'])
      expect(await put(slug, body, one)).toMatchObject({
        status: 403,
        json: { code: 'token_forbidden', detail: `This token publishes only-this, not ${slug}` },
      })
    const docs = await createToken('docs-*')
    expect((await put('docs-tls', body, docs)).status).toBe(201)
    expect(await put('docs', body, docs)).toMatchObject({
      status: 403,
      json: { detail: 'This token publishes docs-*, not docs' },
    })
    const { job } = (await catalog.packs.head('docs-tls'))!.provenance
    const headers = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })
    expect((await send(`/publish/v1/jobs/${job}`, headers(docs))).status).toBe(201)
    for (const [id, token] of [
      [job, one],
      ['docs-tls-0', docs],
      ['%00', docs],
      ['..', docs],
    ])
      expect((await send(`/publish/v1/jobs/${id}`, headers(token!))).status).toBe(404)
  })

  it('opens nothing else', async () => {
    const paths = ['/api/v1/packs', '/api/v1/usage', '/metrics', '/mcp']
    for (const path of paths)
      for (const headers of [{ authorization: `Bearer ${all}` }, { 'x-api-key': all }] as const) {
        const { status } = await fetch(url + path, {
          headers: headers as Record<string, string>,
          redirect: 'manual',
        })
        expect([path, status]).toEqual([path, expect.toBeOneOf([401, 404, 405])])
      }
    const headers = { authorization: `Bearer ${all}`, 'x-api-key': all }
    expect(await (await fetch(`${url}/settings`, { headers })).text()).toContain('Sign in')
    const change = await fetch(`${url}/settings/keys`, { method: 'POST', headers, redirect: 'manual' })
    expect(change.status).toBeOneOf([303, 403, 415])
    const key = await createKey()
    expect((await put('harbour', { path: 'a.md', text: TEXT }, key)).status).toBe(401)
  })

  it('is refused if it is missing, malformed, unknown, expired or revoked', async () => {
    const ended = await createToken('*')
    const [row] = (await catalog.tokens.list()).toReversed()
    const tokens = ['', 'x', `${all.slice(0, -1)}_`, all.toLowerCase(), ended]
    await catalog.tokens.revoke(row!.id, actor, new Date())
    for (const token of tokens) {
      const refused = await put('harbour', { path: 'a.md', text: TEXT }, token)
      expect(refused).toMatchObject({ status: 401, json: { code: 'invalid_publish_token' } })
      expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="packs"')
      const reason = token === '' ? 'has no publish token' : 'unknown, revoked or expired'
      expect(refused.json['detail']).toContain(reason)
    }
    expect((await send('/publish/v1/jobs/x', {})).status).toBe(401)
  })

  it('is refused with 429 after too many wrong ones of a network, which valid ones pass', async () => {
    const wrong = (): Promise<Response> =>
      fetch(`${url}/publish/v1/jobs/x`, {
        headers: { authorization: 'Bearer kpub_wrong', 'x-forwarded-for': '192.0.2.7' },
      })
    const codes = await Promise.all(Array.from({ length: 302 }, async () => (await wrong()).status))
    expect(new Set(codes)).toEqual(new Set([401, 429]))
    const key = await fetch(`${url}/api/v1/usage`, {
      headers: { 'x-api-key': 'kp_wrong', 'x-forwarded-for': '192.0.2.7' },
    })
    expect(key.status).toBe(429)
    const valid = await fetch(`${url}/publish/v1/jobs/x`, {
      headers: { authorization: `Bearer ${all}`, 'x-forwarded-for': '192.0.2.7' },
    })
    expect(valid.status).toBe(404)
  })
})

describe('/publish/v1', () => {
  it('has an OpenAPI document of its own, and the other API stays read-only', async () => {
    const document = await send('/publish/v1/openapi.json', {})
    expect(Object.keys(document.json['paths'] as object)).toEqual([
      '/publish/v1/packs/{slug}',
      '/publish/v1/jobs/{id}',
    ])
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> }
    for (const [path, methods] of Object.entries(paths)) {
      expect(path).not.toContain('publish')
      expect(Object.keys(methods).filter((name) => name !== 'parameters')).toEqual(['get', 'head'])
    }
    const key = await createKey()
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      const refused = await fetch(`${url}/api/v1/packs/harbour`, { method, headers: { 'x-api-key': key } })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    const other = await fetch(`${url}/publish/v1/packs/harbour`, {
      headers: { authorization: `Bearer ${all}` },
    })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'PUT'])
  })

  it('refuses publishes in recovery mode', async () => {
    await catalog.settings.setMode('recovery', { retryAfter: 60, actor })
    const body = { path: 'a.md', text: TEXT }
    await expect.poll(async () => (await put('harbour', body)).json['code']).toBe('recovery_mode')
    const refused = await put('harbour', body)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
    await catalog.settings.setMode('online', { actor })
    await expect.poll(async () => (await put('harbour', body)).status).toBeOneOf([200, 201])
  })

  it('logs no token and no text', () => {
    const log = server.log.join('\n')
    expect(log).toContain('"route":"/publish/v1/packs/:slug"')
    expect(log).not.toMatch(/kpub_|Harbour|harbour\.md/)
  })
})
