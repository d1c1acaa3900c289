import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const env = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: 'data' }
const AES = '# AES\n\nA block cipher.\n\n## Key schedule\n\nRound keys are derived from the cipher key.\n'

/** Publishes two packs, and returns functions that run a command and change the database. */
async function makeCatalog(): Promise<{
  readonly run: (...args: string[]) => Promise<Printed>
  readonly change: (sql: string) => void
}> {
  const cwd = makeFolder({ 'aes.md': AES, 'ssh.md': '# SSH\n\nA remote shell.\n' })
  const run = (...args: string[]): Promise<Printed> => runInProcess(args, { cwd, env })
  expect(await run('publish', '.')).toMatchObject({ status: 0 })
  return {
    run,
    change(sql) {
      const database = new DatabaseSync(join(cwd, 'data', 'catalog.sqlite'))
      database.exec(sql)
      database.close()
    },
  }
}

describe('pack index', () => {
  it('makes the index of all versions, also of another analysis, which other commands refuse', async () => {
    const { run, change } = await makeCatalog()
    change('update search_state set format = 1; delete from search_terms')
    const { status, stdout } = await run('publish', '.', '--json')
    expect([status, JSON.parse(stdout)]).toMatchObject([4, { error: { code: 'schema_too_old' } }])
    expect(await run('index')).toMatchObject({
      status: 0,
      stdout: 'indexed  2 packs, 2 versions, 0 skipped\n',
    })
    const again = await run('index', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ok: true, packs: 2, versions: 2, skipped: [] })
    expect(await run('verify', '--all')).toMatchObject({ status: 0 })
  })

  it('lists versions whose document is damaged, and indexes the others', async () => {
    const { run, change } = await makeCatalog()
    change("update versions set document = x'00' where pack = (select number from packs where slug = 'ssh')")
    const { status, stdout } = await run('index')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^skipped ssh@1\.0\.0 \(sequence \d+\)\n/)
    expect(stdout).toContain('pack verify --all')
    expect(stdout).toContain('indexed  1 packs, 2 versions, 1 skipped')
  })

  it.each([
    [['--rebuild'], 2, 'usage'],
    [['--check'], 2, 'usage'],
    [['--data', 'nowhere'], 5, 'catalog_unavailable'],
  ])('refuses %j', async (args, status, code) => {
    const run = await runInProcess(['index', ...args, '--json'], { cwd: makeFolder(), env })
    expect(run.status).toBe(status)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code } })
  })
})

describe('pack verify', () => {
  it('names a damaged index', async () => {
    const { run, change } = await makeCatalog()
    expect((await run('verify', 'aes@1.0.0', '--json')).stdout).toContain('"search_index"')
    change("update search_entries set vector = x'00' where ordinal = 0")
    const all = await run('verify', '--all')
    expect(all.status).toBe(1)
    expect(all.stdout).toContain('search_index: The search index differs from what its packs give: ')
    expect(all.stdout).toContain('hint: Stop all servers and workers, then run `pack index`')
    change('drop table search_terms')
    const dropped = await run('verify', '--all')
    expect(dropped.stdout).toMatch(/^failed search index\n {2}search_index: .*search_terms/)
    expect(dropped.stdout).toContain('2 versions, 0 sources without a version: 1 damaged')
    expect((await run('verify', 'aes@1.0.0')).stdout).toContain(
      'hint: Stop all servers and workers, then run `pack index`',
    )
    await run('index')
    expect(await run('verify', '--all')).toMatchObject({ status: 0 })
  })
})
