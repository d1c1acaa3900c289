import { globSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'
import { makeFolder, runPack, type RunOptions } from '../../../test-kit/test/run-pack.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { variableNames } from '../../src/services/environment.ts'
import { readDocument, root } from '../operations/read-examples.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'

type Env = RunOptions['env'] & object

/** Runs `pack serve`, whose start must fail, and returns its exit status and error. */
async function failStart(env: Env, ...args: string[]): Promise<{ status: unknown; error: Failure }> {
  const run = await runPack(['serve', '--data', makeFolder(), '--json', ...args], {
    env: { DATABASE_URL: '', REDIS_URL: '', PACK_PORT: '0', ...env },
  })
  return { status: run.status, error: (JSON.parse(run.stdout) as { error: Failure }).error }
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string
}

describe('a REDIS_URL', () => {
  it.each(['http://127.0.0.1:6379', 'foo'])('that is not one, such as %s, ends the start', async (url) => {
    expect(await failStart({ REDIS_URL: url })).toMatchObject({
      status: 2,
      error: { code: 'invalid_redis_url', hint: expect.stringContaining('redis://127.0.0.1:6379') },
    })
  })

  it('with a wrong password, or of a Redis that evicts, ends the start', async () => {
    const locked = await startOwnRedis(['--requirepass', 'right'])
    const url = locked.url.replace('redis://', 'redis://:wrong-password@')
    const rejected = await failStart({ REDIS_URL: url })
    expect(rejected).toMatchObject({ status: 5, error: { code: 'queue_unavailable' } })
    expect(rejected.error.message).toContain('WRONGPASS')
    expect(JSON.stringify(rejected)).not.toContain('wrong-password')
    const evicting = await startOwnRedis(['--maxmemory-policy', 'allkeys-lru'])
    const refused = await failStart({ REDIS_URL: evicting.url })
    expect(refused).toMatchObject({ status: 5, error: { code: 'queue_evicts' } })
  })

  it('that nothing listens at is logged once, and the server is ready', async () => {
    const env = { DATABASE_URL: '', REDIS_URL: 'redis://:a-password@127.0.0.1:1' }
    const server = await startServer(['--data', makeFolder()], env)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ msg }) => msg === 'Redis cannot be reached at the start')).toMatchObject([
      { code: 'queue_unavailable', reason: 'Redis cannot be reached (ECONNREFUSED)' },
    ])
    expect(server.log.join('\n')).not.toContain('a-password')
  })
})

describe('a port that is in use', () => {
  it('ends the start before a catalog is created', async () => {
    const { port } = await startServer(['--data', makeFolder()], { DATABASE_URL: '' })
    const data = makeFolder()
    for (const option of ['--port', '--admin-port']) {
      const args = ['--data', data, option, String(port)]
      expect((await failStart({}, ...args)).error.code).toBe('address_in_use')
    }
    expect(readdirSync(data).filter((name) => name.includes('catalog'))).toEqual([])
  })
})

describe('the environment', () => {
  it.each<readonly [variable: string, value: string]>([
    ['PACK_PORT', 'tcp://10.0.0.1:80'],
    ['PACK_ADMIN_PORT', 'metrics'],
    ['PACK_DRAIN', '1h'],
    ['PACK_MEMORY', '64'],
    ['PACK_BASE_URL', 'packs.example.org'],
    ['PACK_TRUST_PROXY', '10.0.0.0/8 nowhere'],
    ['PACK_LOG_LEVEL', 'loud'],
    ['PACK_ACCESS_LOG', '0'],
    ['DATABASE_URL_FILE', '/nothing/here'],
    ['PACK_OPERATOR_TOKEN_FILE', '/dev/null'],
  ])('ends the start with a line that names %s if that is %s', async (variable, value) => {
    const { status, error } = await failStart({ [variable]: value })
    expect([status, error.message]).toEqual([2, expect.stringContaining(variable)])
    expect(error.message).not.toContain('\n')
  })

  it('sets options, and has secrets in files, which may be links', async () => {
    const data = makeFolder({ token: 'a-token-of-the-operator\n', database: 'database.sqlite' })
    symlinkSync(join(data, 'token'), join(data, 'link'))
    const server = await startServer([], {
      PACK_DATA: data,
      PACK_HOST: '',
      PACK_BASE_URL: 'https://packs.example.org',
      PACK_TRUST_PROXY: '127.0.0.1 10.0.0.0/8',
      PACK_ADMIN_PORT: '0',
      PACK_OPERATOR_TOKEN: '',
      PACK_OPERATOR_TOKEN_FILE: join(data, 'link'),
      DATABASE_URL: '',
    })
    expect(server.url).toBe('https://packs.example.org')
    const headers = { authorization: 'Bearer a-token-of-the-operator' }
    const metrics = await fetch(`http://127.0.0.1:${server.adminPort}/metrics`, { headers })
    expect(metrics.status).toBe(200)
    expect(readdirSync(data)).not.toContain('operator-token')
  })

  it('has a secret once: as a value, or in a file', async () => {
    const both = { PACK_OPERATOR_TOKEN: 'a-token-of-the-operator', PACK_OPERATOR_TOKEN_FILE: '/dev/null' }
    expect(await failStart(both)).toMatchObject({
      status: 2,
      error: { message: 'PACK_OPERATOR_TOKEN and PACK_OPERATOR_TOKEN_FILE are both set' },
    })
  })

  it('is searched for misspelt names', async () => {
    const data = makeFolder({ 'harbors.md': '# Harbors\n\nShips moor there.\n' })
    const env = { DATABASE_URL: '', REDIS_URL: '', PACK_SMTP_ULR: 'smtp://user:word@host' }
    const server = await startServer(['--data', data], env)
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([
      { variable: 'PACK_SMTP_ULR', meant: 'PACK_SMTP_URL', msg: 'an unknown variable is ignored' },
    ])
    expect(server.log.join('\n')).not.toContain('word')
    const run = await runInProcess(['publish', '--data', data, 'harbors.md'], { env, cwd: data })
    expect(run.stderr).toContain('PACK_SMTP_ULR is ignored: pack has no such variable, but PACK_SMTP_URL')
  })

  it('is documented: each variable that the sources read, on one page', () => {
    const texts = globSync('packages/*/src/**/*.ts', { cwd: root }).map((path) =>
      readFileSync(join(root, path), 'utf8'),
    )
    const read = texts.flatMap((text) =>
      [...text.matchAll(/process\.env\['(PACK_\w+)'\]/g)].map(([, name]) => name!),
    )
    expect(read.filter((name) => !variableNames.includes(name))).toEqual([])
    const words = readDocument('operations/variables.md').matchAll(/`(PACK_\w+|[A-Z]+_URL)`( \*)?/g)
    const documented = [...words].flatMap(([, name, star]) => (star ? [name, `${name}_FILE`] : [name]))
    expect(new Set(documented)).toEqual(new Set(variableNames))
  })
})

describe('the log', () => {
  const ask = async (url: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at++) await (await fetch(`${url}/livez`)).arrayBuffer()
  }

  it.each([
    [{ PACK_ACCESS_LOG: 'off' }, 0],
    [{ PACK_ACCESS_LOG: '5' }, 2],
    [{ PACK_ACCESS_LOG: 'all' }, 10],
    [{ PACK_LOG_LEVEL: 'warn' }, 0],
  ])('of ten requests with %j has %i lines', async (env, count) => {
    const server = await startServer(['--data', makeFolder()], { DATABASE_URL: '', REDIS_URL: '', ...env })
    await ask(server.url, 10)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.log.filter((line) => line.includes('"msg":"request"'))).toHaveLength(count)
  })

  it('has the id that a trusted proxy sets, and the trace of any client', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${trace}-b7ad6b7169203331-01`
    const server = await startServer(['--data', makeFolder(), '--trust-proxy', '127.0.0.1'], {
      DATABASE_URL: '',
    })
    const proxied = { 'x-forwarded-for': '192.0.2.7' }
    const sent = [
      { ...proxied, 'x-request-id': 'abc-1', traceparent },
      { ...proxied, 'x-request-id': 'a"b\\', traceparent: traceparent.replace(trace, '0'.repeat(32)) },
      { 'x-request-id': 'stranger', traceparent: `${traceparent}"` },
    ]
    const ids: (string | null)[] = []
    for (const headers of sent)
      ids.push((await fetch(`${server.url}/livez`, { headers })).headers.get('x-request-id'))
    const fresh = expect.stringMatching(/^[\da-f]{8}-/)
    expect(ids).toEqual(['abc-1', fresh, fresh])
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.map((line) => line['request_id'])).toEqual(ids)
    expect(requests.map((line) => line['trace_id'])).toEqual([trace, undefined, undefined])
  })
})

describe('--drain', () => {
  it('answers new connections without being ready, then ends', async () => {
    const server = await startServer(['--data', makeFolder(), '--drain', '2', '--admin-port', '0'], {
      DATABASE_URL: '',
    })
    const ended = server.end('SIGTERM')
    const admin = `http://127.0.0.1:${server.adminPort}/readyz`
    await waitUntil('it is not ready', async () => (await fetch(admin)).status === 503)
    const response = await fetch(`${server.url}/browse`)
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ending' })
    expect(await ended).toBe(0)
  })
})
