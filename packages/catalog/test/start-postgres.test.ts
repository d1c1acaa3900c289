import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import pg from 'pg'
import { findPrograms } from '../../test-kit/test/postgres-programs.ts'
import { startServer } from '../../test-kit/test/postgres-server.ts'

/** A folder that only its owner may enter, like the home of root. */
function makePrivateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'packs-private-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o700)
  return folder
}

/** Writes shell scripts in place of the programs of Postgres. */
function writePrograms(initdb: string): { readonly programs: string; readonly started: string } {
  const programs = makePrivateFolder()
  const started = join(programs, 'started')
  chmodSync(programs, 0o755)
  writeFileSync(started, '')
  chmodSync(started, 0o666)
  mkdirSync(join(programs, 'bin'))
  for (const name of ['initdb', 'postgres']) {
    const file = join(programs, 'bin', name)
    writeFileSync(file, `#!/bin/sh\necho $$ > '${started}'\n${initdb}\n`)
    chmodSync(file, 0o755)
  }
  return { programs, started }
}

it('starts with programs below a folder that only the user of the tests may enter', async () => {
  const programs = join(makePrivateFolder(), 'checkout', 'native')
  cpSync(findPrograms(), programs, { recursive: true, verbatimSymlinks: true })
  const server = await startServer({ programs })
  onTestFinished(() => server.stop())
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  onTestFinished(() => client.end())
  expect((await client.query('select 6 * 7 as answer')).rows).toEqual([{ answer: 42 }])
})

it('fails with the output of a program that fails', async () => {
  const { programs } = writePrograms('echo no space left >&2; exit 3')
  await expect(startServer({ programs })).rejects.toThrow(
    /initdb does not start: it ended with status 3\nno space left/,
  )
})

it('fails with the name of a program that cannot be run', async () => {
  const { programs } = writePrograms('')
  writeFileSync(join(programs, 'bin', 'initdb'), '#!/no/such/shell\n')
  await expect(startServer({ programs })).rejects.toThrow(/initdb does not start: spawn .*initdb ENOENT/)
})

it('ends a program that hangs, and says that it was not ready in time', async () => {
  const { programs, started } = writePrograms('exec sleep 1000')
  const deadline = new AbortController()
  const start = startServer({ programs, signal: deadline.signal }).catch((error: unknown) => error)
  await vi.waitFor(() => expect(readFileSync(started, 'utf8')).toMatch(/^\d+\n$/), { timeout: 60_000 })
  deadline.abort()
  expect(await start).toMatchObject({
    message: expect.stringMatching(/initdb does not start: it was not ready in time/),
  })
  const pid = Number(readFileSync(started, 'utf8'))
  await vi.waitFor(() => expect(spawnSync('kill', ['-0', String(pid)]).status).not.toBe(0), {
    timeout: 60_000,
  })
})

it('tells the processes of a run that a server has hung, so that the others do not wait too', async () => {
  const { programs } = writePrograms('exec sleep 1000')
  const run = makePrivateFolder()
  vi.stubEnv('PACKS_TEST_RUN', run)
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(startServer({ programs, signal: AbortSignal.timeout(1) })).rejects.toThrow(
    /was not ready in time/,
  )
  expect(existsSync(join(run, 'server-hung'))).toBe(true)
  await expect(startServer()).rejects.toThrow('an earlier server of this test run was not ready in time')
})
