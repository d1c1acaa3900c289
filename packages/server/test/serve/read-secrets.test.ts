import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingStore } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { deriveSecrets } from '../../src/serve/read-secrets.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from './customers.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const SECRET = 'a-secret-of-thirty-two-letters-and-more'

describe('the secret', () => {
  it('signs cursors, for all servers that have it, and none is in the database', async () => {
    const data = makeFolder({ given: `${SECRET}\n` })
    const catalog = join(data, 'catalog.sqlite')
    const key = await addCustomer(catalog, 'pro', null, [makeVersion({ slug: 'a' })])
    const start = (env: Record<string, string>): Promise<TestServer> =>
      startServer(['--data', data], { PACK_SECRET: '', ...env })
    const ask = (server: TestServer, query: string): Promise<Response> =>
      fetch(`${server.url}/api/v1/packs/download${query}`, { headers: { 'x-api-key': key } })
    const own = await start({})
    const given = await start({ PACK_SECRET: SECRET })
    const same = await start({ PACK_SECRET_FILE: join(data, 'given') })
    const body = (await (await ask(given, '')).json()) as { meta: { resume_cursor: string } }
    const cursor = `?cursor=${body.meta.resume_cursor}`
    expect((await ask(same, cursor)).status).toBe(200)
    expect((await ask(own, cursor)).status).toBe(400)
    expect(await given.end('SIGTERM')).toBe(0)
    expect(given.log.join('\n')).not.toContain(SECRET)
    const file = join(data, 'secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(catalog).includes(readFileSync(file, 'utf8').trim())).toBe(false)
    expect(readFileSync(catalog).includes('secret:')).toBe(false)
  })

  it('differs by purpose, and leaves other keys to the catalog', async () => {
    const kept = { secret: () => Promise.resolve(Buffer.from('kept')) } as unknown as SettingStore
    const settings = deriveSecrets(kept, SECRET)
    const [cursor, signIn, jobs] = await Promise.all(
      ['cursor', 'sign-in', 'jobs'].map((name) => settings.secret(name)),
    )
    expect([cursor!.length, signIn!.length, String(jobs)]).toEqual([32, 32, 'kept'])
    expect(cursor).not.toEqual(signIn)
    expect(await deriveSecrets(kept, `${SECRET}!`).secret('cursor')).not.toEqual(cursor)
  })

  it.each<readonly [what: string, env: Record<string, string>, message: string, hint: string]>([
    ['short', { PACK_SECRET: 'too-short' }, 'PACK_SECRET', 'openssl rand -hex 32'],
    ['with spaces', { PACK_SECRET: `${SECRET} with spaces` }, 'PACK_SECRET', 'openssl rand -hex 32'],
    ['of other letters', { PACK_SECRET: 'é'.repeat(40) }, 'PACK_SECRET', 'openssl rand -hex 32'],
    ['in no file', { PACK_SECRET_FILE: '/nothing/here' }, '/nothing/here cannot be read', 'PACK_SECRET_FILE'],
    ['in a folder', { PACK_SECRET_FILE: '/' }, '/ cannot be read', 'PACK_SECRET_FILE'],
    ['in an empty file', { PACK_SECRET_FILE: '/dev/null' }, '/dev/null', ''],
    [
      'absent with Postgres',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      'PACK_SECRET is not set',
      'openssl rand -hex 32',
    ],
    [
      'empty with Postgres',
      { DATABASE_URL: 'postgresql://127.0.0.1:1/x', PACK_SECRET: '' },
      'PACK_SECRET is not set',
      'PACK_SECRET_FILE',
    ],
  ])('ends the start with one line and a hint if it is %s', async (_what, env, message, hint) => {
    const run = await runInProcess(['serve', '--data', makeFolder(), '--json'], {
      env: { DATABASE_URL: '', PACK_SECRET: '', PACK_SECRET_FILE: '', ...env },
    })
    expect(run.status).toBe(2)
    const { error } = JSON.parse(run.stdout) as { error: { message: string; hint: string } }
    expect(error.message).toContain(message)
    expect(error.message).not.toContain('\n')
    expect(error.hint).toContain(hint)
    for (const value of [env['PACK_SECRET']!].filter(Boolean))
      expect(run.stdout + run.stderr).not.toContain(value)
  })
})

describe('the data folder', () => {
  it.each(['plain', join('plain', 'below')])('is rejected if it is a file: %s', async (name) => {
    const folder = makeFolder({ plain: 'x' })
    const run = await runInProcess(['serve', '--data', join(folder, name), '--json'], {
      env: { DATABASE_URL: '' },
    })
    expect(run.status).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: {
        code: 'file_unreadable',
        message: expect.stringContaining('cannot be the data folder') as string,
        hint: expect.stringContaining('set --data to a folder') as string,
      },
    })
  })
})
