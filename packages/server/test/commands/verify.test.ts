import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const env = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: 'data' }

async function makeCatalog(): Promise<{
  run: (...args: string[]) => Promise<Printed>
  damage: (sql: string) => void
}> {
  const cwd = makeFolder({ 'aes.md': '# AES\n', 'ssh.md': '# SSH\n', 'tls.md': '# TLS\n' })
  const run = (...args: string[]): Promise<Printed> => runInProcess(args, { cwd, env })
  await run('publish', '.')
  return {
    run,
    damage(sql) {
      const database = new DatabaseSync(join(cwd, 'data', 'catalog.sqlite'))
      database.exec(sql)
      database.close()
    },
  }
}

it('verifies a whole catalog, and names what is damaged', async () => {
  const { run, damage } = await makeCatalog()
  expect(await run('verify', '--all')).toMatchObject({
    status: 0,
    stdout: 'ok 3 versions, 0 sources without a version: no damage\n',
    stderr: '',
  })
  expect(await run('verify', '--all', '--quiet')).toMatchObject({ status: 0, stdout: '', stderr: '' })

  damage(`update versions set document = x'00' where sequence = 2`)
  const failed = await run('verify', '--all', '--quiet')
  expect(failed.status).toBe(1)
  expect(failed.stdout).toMatch(
    /^failed ssh@1\.0\.0\n {2}schema: .*\nfailed 3 versions, 0 sources without a version: 1 damaged\n$/,
  )
  const json = await run('verify', '--all', '--json')
  expect(json.status).toBe(1)
  expect(JSON.parse(json.stdout)).toEqual({
    ok: false,
    complete: true,
    versions: 3,
    waiting_sources: 0,
    damaged: 1,
    last_sequence: 3,
    faults: [
      {
        name: 'ssh@1.0.0',
        sequence: 2,
        checks: [{ name: 'schema', ok: false, message: expect.stringContaining('not valid JSON') }],
      },
    ],
    more_faults: 0,
  })
  expect(await run('verify', '--all', '--after', '2')).toMatchObject({
    status: 0,
    stdout: 'ok 1 versions, 0 sources without a version: no damage\n',
  })
})

it('rejects options that do not fit, and a catalog that does not exist', async () => {
  const { run } = await makeCatalog()
  for (const [args, status, code] of [
    [[], 2, 'usage'],
    [['--all', 'tls@1.0.0'], 2, 'usage'],
    [['--all', '--rebuild'], 2, 'usage'],
    [['--quiet'], 2, 'usage'],
    [['--all', '--after', 'x'], 2, 'usage'],
    [['--all', '--data', 'none'], 5, 'catalog_unavailable'],
  ] as const) {
    const found = await run('verify', ...args, '--json')
    expect([found.status, JSON.parse(found.stdout)]).toMatchObject([status, { ok: false, error: { code } }])
  }
})
