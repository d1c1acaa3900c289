import { describe, expect, it } from 'vitest'
import { makeCatalogFolder, readJson, type CatalogFolder } from '../../../test-kit/test/catalog-folder.ts'

const AES = '# AES\n\nA block cipher.\n\n## Key schedule\n\nRound keys are derived from the cipher key.\n'

/** Makes a catalog of two packs. */
async function makeCatalog(): Promise<CatalogFolder> {
  const folder = makeCatalogFolder({ 'aes.md': AES, 'ssh.md': '# SSH\n\nA remote shell.\n' })
  expect(await folder.run('publish', '.')).toMatchObject({ status: 0 })
  return folder
}

describe('pack index', () => {
  it('makes the index of all versions, also of another analysis, which other commands refuse', async () => {
    const { run, change } = await makeCatalog()
    change('update search_state set format = 1; delete from search_terms')
    const refused = await run('publish', '.', '--json')
    expect([refused.status, readJson(refused)]).toMatchObject([4, { error: { code: 'schema_too_old' } }])
    expect(await run('index')).toMatchObject({ status: 0, stdout: 'indexed 2 versions of 2 packs\n' })
    expect(readJson(await run('index', '--json'))).toEqual({ ok: true, packs: 2, versions: 2, skipped: [] })
    expect(await run('verify', '--all')).toMatchObject({ status: 0 })
  })

  it('lists versions whose document is damaged, and indexes the others', async () => {
    const { run, change } = await makeCatalog()
    change("update versions set document = x'00' where pack = (select number from packs where slug = 'ssh')")
    const { status, stdout } = await run('index')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^skipped ssh@1\.0\.0 \(sequence \d+\)\n/)
    expect(stdout).toContain('pack verify --all')
    expect(stdout).toContain('indexed 2 versions of 1 pack, 1 skipped')
  })

  it.each([
    [['--rebuild'], 2, 'usage'],
    [['--check'], 2, 'usage'],
    [['--data', 'nowhere'], 5, 'catalog_unavailable'],
  ])('refuses %j', async (args, status, code) => {
    const refused = await makeCatalogFolder().run('index', ...args, '--json')
    expect([refused.status, readJson(refused)]).toMatchObject([status, { ok: false, error: { code } }])
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
    expect(dropped.stdout).toContain('2 versions: 1 damaged')
    expect((await run('verify', 'aes@1.0.0')).stdout).toContain(
      'hint: Stop all servers and workers, then run `pack index`',
    )
    await run('index')
    expect(await run('verify', '--all')).toMatchObject({ status: 0 })
  })
})
