import { expect, it } from 'vitest'
import { makeCatalogFolder, readJson, type CatalogFolder } from '../../../test-kit/test/catalog-folder.ts'

async function makeCatalog(): Promise<CatalogFolder> {
  const folder = makeCatalogFolder({ 'aes.md': '# AES\n', 'ssh.md': '# SSH\n', 'tls.md': '# TLS\n' })
  await folder.run('publish', '.')
  return folder
}

it('verifies a whole catalog, and names what is damaged', async () => {
  const { run, change } = await makeCatalog()
  expect(await run('verify', '--all')).toMatchObject({
    status: 0,
    stdout: 'ok 3 versions: no damage\n',
    stderr: '',
  })
  expect(await run('verify', '--all', '--quiet')).toMatchObject({ status: 0, stdout: '', stderr: '' })

  change(`update versions set document = x'00' where sequence = 2`)
  const failed = await run('verify', '--all', '--quiet')
  expect(failed.status).toBe(1)
  expect(failed.stdout).toMatch(/^failed ssh@1\.0\.0\n {2}schema: .*\nfailed 3 versions: 1 damaged\n$/)
  const json = await run('verify', '--all', '--json')
  expect(json.status).toBe(1)
  expect(readJson(json)).toEqual({
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
    stdout: 'ok 1 version: no damage\n',
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
    expect([found.status, readJson(found)]).toMatchObject([status, { ok: false, error: { code } }])
  }
})
