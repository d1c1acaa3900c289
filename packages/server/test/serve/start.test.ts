import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'
import { makeFolder, runPack, type RunOptions } from '../../../test-kit/test/run-pack.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'

type Env = RunOptions['env'] & object

/** Runs `pack serve`, whose start must fail, and returns its exit status and error. */
async function failStart(env: Env, ...args: string[]): Promise<{ status: unknown; error: Failure }> {
  const run = await runPack(['serve', '--port', '0', '--data', makeFolder(), '--json', ...args], {
    env: { DATABASE_URL: '', REDIS_URL: '', ...env },
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
  it('ends the start before anything is created', async () => {
    const { port } = await startServer(['--data', makeFolder()], { DATABASE_URL: '' })
    const data = makeFolder()
    for (const option of ['--port', '--admin-port']) {
      const args = ['--data', data, option, String(port)]
      expect((await failStart({}, ...args)).error.code).toBe('address_in_use')
    }
    expect(readdirSync(data)).toEqual([])
  })
})
