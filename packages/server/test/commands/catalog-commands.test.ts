import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeCatalogFolder, readJson, type CatalogFolder } from '../../../test-kit/test/catalog-folder.ts'

async function makeCatalog(): Promise<CatalogFolder> {
  const folder = makeCatalogFolder({ 'tls.md': '# TLS\n', 'over.md': '---\nbudget: 1\n---\n# Over\n' })
  await folder.run('publish', '.')
  return folder
}

it('lists the publishes that ran without a queue, and shows one', async () => {
  const { run } = await makeCatalog()
  const { jobs } = readJson(await run('jobs', '--json')) as {
    jobs: { id: string; slug: string }[]
  }
  expect(jobs.toSorted((a, b) => a.slug.localeCompare(b.slug))).toEqual([
    {
      id: expect.stringMatching(/^over-[0-9a-f]{32}$/),
      slug: 'over',
      state: 'failed',
      progress: 0,
      attempts: 1,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      error: 'bad_source: over.md has an error on line 2: over-budget',
    },
    {
      id: expect.stringMatching(/^tls-/),
      slug: 'tls',
      state: 'completed',
      progress: 100,
      attempts: 1,
      at: expect.any(String),
      error: null,
    },
  ])
  const one = await run('jobs', jobs.find(({ slug }) => slug === 'tls')!.id)
  expect(one.stdout).toMatch(/^job +state +time +attempts\ntls-\S+ +completed +\S+ \S+ +1\n$/)
  const [, ...rows] = (await run('jobs')).stdout.split('\n')
  const short = rows.find((row) => row.startsWith('tls-'))!.split(' ')[0]!
  expect(short).toMatch(/^tls-[0-9a-f]{8}$/)
  expect((await run('jobs', short)).stdout).toBe(one.stdout)
  const none = await run('jobs', 'tls-0', '--json')
  expect(none.status).toBe(1)
  expect(readJson(none)).toMatchObject({ ok: false, error: { code: 'unknown_job' } })
})

it('yanks a version and restores it', async () => {
  const { run } = await makeCatalog()
  const yanked = await run('yank', 'tls@1.0.0', '--reason', 'wrong', '--json')
  expect(readJson(yanked)).toEqual({
    ok: true,
    slug: 'tls',
    version: '1.0.0',
    yanked: true,
    reason: 'wrong',
    reason_before: null,
  })
  expect((await run('yank', 'tls@1.0.0', '--reason', 'wrong')).stdout).toBe(
    'yanked tls@1.0.0\n  it was already yanked for this reason: nothing changed\n',
  )
  expect((await run('yank', 'tls@1.0.0', '--reason', 'names no authority')).stdout).toBe(
    'yanked tls@1.0.0\n  previous reason: wrong\n',
  )
  expect(readJson(await run('verify', 'tls@1.0.0', '--json'))).toMatchObject({ ok: true, yanked: true })
  expect(await run('yank', 'tls@1.0.0', '--undo')).toMatchObject({
    status: 0,
    stdout: 'restored tls@1.0.0\n',
  })
  expect((await run('yank', 'tls@1.0.0', '--undo')).stdout).toBe(
    'restored tls@1.0.0\n  it was not yanked: nothing changed\n',
  )
  for (const [args, status, code] of [
    [['tls@1.0.0'], 2, 'usage'],
    [['tls@1.0.0', '--reason', ' '], 2, 'usage'],
    [['tls@1.0.0', '--undo', '--reason', 'a'], 2, 'usage'],
    [['tls', '--undo'], 2, 'usage'],
    [['tls@9.0.0', '--undo'], 1, 'unknown_version'],
  ] as const) {
    const refused = await run('yank', ...args, '--json')
    expect([refused.status, readJson(refused)]).toMatchObject([status, { error: { code } }])
  }
})

it('purges a version for good, and says so to those who ask', async () => {
  const { run, change } = await makeCatalog()
  for (const [args, status, code] of [
    [['tls@1.0.0'], 2, 'usage'],
    [['tls@1.0.0', '--reason', ''], 2, 'usage'],
    [['tls@1.0.0', '--reason', 'a\u202Eb'], 2, 'usage'],
    [['--reason', 'a'], 2, 'usage'],
    [['tls', 'aes', '--reason', 'a'], 2, 'usage'],
    [['tls', '--reason', 'a', '--apply'], 2, 'usage'],
    [['--keep', '0'], 2, 'usage'],
    [['--keep', '1', 'tls@1.0.0'], 2, 'usage'],
    [['tls@9.0.0', '--reason', 'a'], 1, 'unknown_version'],
    [['tlss', '--reason', 'a'], 1, 'unknown_pack'],
  ] as const) {
    const refused = await run('purge', ...args, '--json')
    expect([refused.status, readJson(refused)]).toMatchObject([status, { error: { code } }])
  }
  const similar = await run('purge', 'tls-x', '--reason', 'a')
  expect(similar.stderr).toContain('Packs with such names: tls.')

  const purged = await run('purge', 'tls@1.0.0', '--reason', 'a password', '--json')
  expect(readJson(purged)).toEqual({
    ok: true,
    slug: 'tls',
    purged: ['1.0.0'],
    before: [],
    latest: null,
    warnings: [],
  })
  const again = await run('purge', 'tls', '--reason', 'b')
  expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining('the new reason was not stored') })
  expect((await run('purge', 'tls', '--reason', 'a password')).stderr).toBe('')
  const plan = await run('publish', 'tls.md', '--dry-run', '--json')
  expect(readJson(plan)).toMatchObject({ published: [{ status: 'failed', code: 'purged_source' }] })
  expect(again.stdout).toMatch(
    /^tls@1\.0\.0 was purged on \S+Z: a password\n {2}no version is shown any more\n$/,
  )
  expect((await run('verify', 'tls@1.0.0')).stdout).toBe('ok tls@1.0.0  1 of 1 checks, it was purged\n')
  expect(readJson(await run('yank', 'tls@1.0.0', '--undo', '--json'))).toMatchObject({
    error: { code: 'purged_version' },
  })
  const [entry] = (
    readJson(await run('audit', '--action', 'version.purged', '--json')) as { entries: object[] }
  ).entries
  expect(entry).toMatchObject({ target: 'tls@1.0.0', details: { reason: 'a password' } })
  change(`update versions set document = x'41' where purge is not null`)
  expect((await run('verify', 'tls@1.0.0')).stdout).toContain('still has text: versions.document')
})

it('purges old versions once it is told to', async () => {
  const { run, cwd } = await makeCatalog()
  for (const text of ['two', 'three']) {
    writeFileSync(
      join(cwd, 'tls.md'),
      `---\nslug: tls\ntitle: TLS\ndomain: Security\nsubdomain: General\n---\n# ${text}\n`,
    )
    await run('publish', 'tls.md')
  }
  const plan = await run('purge', '--keep', '1')
  expect(plan.stdout).toMatch(
    /^tls: 1\.0\.0, 2\.0\.0 \(\S+ bytes\)\nto purge: 2 versions of 1 pack, \S+ bytes\n$/,
  )
  expect(plan.stderr).toContain('nothing was purged: add --apply')
  const done = await run('purge', 'tls', '--keep', '1', '--apply', '--json')
  expect(readJson(done)).toMatchObject({
    applied: true,
    versions: 2,
    packs: [{ slug: 'tls', versions: ['1.0.0', '2.0.0'] }],
  })
  expect((await run('purge', '--keep', '1')).stdout).toBe('no version is old enough to purge\n')
  expect(readJson(await run('verify', '--all', '--json'))).toMatchObject({ ok: true, versions: 3 })
})

it('verifies a version, and detects a changed document', async () => {
  const { run, change } = await makeCatalog()
  const good = await run('verify', 'tls@1.0.0')
  expect(good).toMatchObject({ status: 0, stderr: '' })
  expect(good.stdout).toMatch(/^ok tls@1\.0\.0 {2}(\d+) of \1 checks\n$/)
  change(`update versions set document = replace(cast(document as text), '# TLS', '# SSL')`)
  const bad = await run('verify', 'tls@1.0.0', '--json')
  expect(bad.status).toBe(1)
  expect(readJson(bad)).toMatchObject({ ok: false, slug: 'tls', version: '1.0.0' })
  expect((await run('verify', 'tls@2.0.0')).status).toBe(1)
  expect((await run('verify', 'tls@01.0.0')).status).toBe(2)
})

it('creates no catalog for commands that only read', async () => {
  const { cwd, run } = makeCatalogFolder()
  expect(await run('jobs', '--json')).toMatchObject({ status: 0, stdout: '{\n  "jobs": []\n}\n' })
  expect((await run('verify', 'a@1.0.0')).status).toBe(1)
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
