import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { readSecrets } from '../../src/serve/read-secrets.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from './customers.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const SECRET = 'a-secret-of-thirty-two-letters-and-more'

describe('secrets from the environment', () => {
  it('replace the secret of the catalog in cursors, for all servers that have them', async () => {
    const data = makeFolder()
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'pro', null, [makeVersion({ slug: 'a' })])
    const start = (secret: string): Promise<TestServer> =>
      startServer(['--data', data], { PACK_CURSOR_SECRET: secret })
    const ask = (server: TestServer, query: string): Promise<Response> =>
      fetch(`${server.url}/api/v1/packs/download${query}`, { headers: { 'x-api-key': key } })
    const [own, given, same] = [await start(''), await start(SECRET), await start(SECRET)]
    const body = (await (await ask(given, '')).json()) as { meta: { resume_cursor: string } }
    const cursor = `?cursor=${body.meta.resume_cursor}`
    expect((await ask(same, cursor)).status).toBe(200)
    expect((await ask(own, cursor)).status).toBe(400)
    expect(await given.end('SIGTERM')).toBe(0)
    expect(given.log.join('\n')).not.toContain(SECRET)
  })

  it('have 32 bytes each, and are absent if the variable is empty', () => {
    expect(readSecrets({ PACK_CURSOR_SECRET: '' })).toEqual(new Map())
    const secrets = readSecrets({ PACK_CURSOR_SECRET: SECRET, PACK_SIGN_IN_SECRET: `${SECRET}!` })
    expect([...secrets].map(([name, bytes]) => [name, bytes.length])).toEqual([
      ['cursor', 32],
      ['sign-in', 32],
    ])
    expect(secrets.get('cursor')).not.toEqual(secrets.get('sign-in'))
  })

  it.each([
    ['PACK_CURSOR_SECRET', 'too-short'],
    ['PACK_SIGN_IN_SECRET', `${SECRET} with spaces`],
  ])('are rejected in %s if they are %s, and not printed', async (variable, value) => {
    const run = await runInProcess(['serve', '--data', makeFolder(), '--json'], {
      env: { [variable]: value },
    })
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'usage', hint: expect.any(String) } })
    expect(run.stdout).toContain(variable)
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
