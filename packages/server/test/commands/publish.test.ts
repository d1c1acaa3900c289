import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { writeSource as source } from '../../../publisher/test/sources.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const NONE = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: '' }

interface Published {
  readonly slug: string | null
  readonly version: string | null
  readonly status: string
  readonly code: string | null
  readonly message: string | null
}

function publish(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  return runInProcess(['publish', ...args], { cwd, env: { ...NONE, ...env } })
}

function listPublished({ stdout }: Printed): unknown[] {
  const { published } = JSON.parse(stdout) as { published: Published[] }
  return published.map(({ slug, version, status, code }) => [slug, version, status, code])
}

describe('pack publish', () => {
  it('publishes into the embedded catalog, once, and describes it as JSON', async () => {
    const cwd = makeFolder({ 'a.md': source('tls', '# A\n\nSome text.\n', 'compression: dense-2\n') })
    const first = await publish(cwd, ['a.md', '--json'])
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toEqual({
      ok: true,
      release: null,
      published: [
        {
          file: 'a.md',
          slug: 'tls',
          id: expect.stringMatching(/^pk_[0-9a-z]{26}$/),
          version: '1.0.0',
          status: 'published',
          bump: null,
          reasons: ['it is the first version'],
          code: null,
          message: null,
          hint: null,
          job: expect.stringMatching(/^tls-[0-9a-f]{32}$/),
          messages: [expect.objectContaining({ rule: 'no-terms', severity: 'info' })],
        },
      ],
    })
    const again = await publish(cwd, ['a.md', '--wait'])
    expect(again).toMatchObject({ status: 0, stderr: '' })
    expect(again.stdout).toBe(
      '1 unchanged\npack  version  why\ntls   1.0.0    unchanged: the newest version has the same source\n',
    )
    expect(readdirSync(join(cwd, '.packs'))).toContain('catalog.sqlite')
    writeFileSync(join(cwd, 'a.md'), source('tls', '# A\n\nOther text.\n\n## B\n', 'compression: dense-2\n'))
    const next = await publish(cwd, ['a.md'])
    expect(next.stdout).toMatch(
      /^1 published.*\npack  version        why\ntls   1\.0\.0 → 1\.1\.0  minor: the heading "B" was added\n$/,
    )
  })

  it('publishes the valid sources and reports the position of each error', async () => {
    const cwd = makeFolder({
      'good.md': source('good', '# A\n'),
      'bad.md': source('bad', '# A\n', 'budget: many\n'),
      'over.md': source('over', '# A\n', 'budget: 1\n'),
      'one.md': source('twin', '# A\n'),
      'two.md': source('twin', '# B\n'),
      'old.pack.json': '{}',
    })
    const run = await publish(cwd, [
      'good.md',
      'bad.md',
      'over.md',
      'one.md',
      'two.md',
      'old.pack.json',
      'none.md',
      '--json',
    ])
    expect(run.status).toBe(1)
    expect(listPublished(run)).toEqual([
      ['good', '1.0.0', 'published', null],
      ['over', null, 'failed', 'bad_source'],
      [null, null, 'failed', 'file_not_found'],
      [null, null, 'failed', 'not_a_source'],
      [null, null, 'failed', 'bad_source'],
      ['twin', null, 'failed', 'duplicate_slug'],
      ['twin', null, 'failed', 'duplicate_slug'],
    ])
    expect((JSON.parse(run.stdout) as { published: unknown[] }).published).toContainEqual(
      expect.objectContaining({
        file: 'bad.md',
        hint: expect.stringContaining('correct it'),
        messages: [expect.objectContaining({ line: 7, rule: 'invalid-value', hint: expect.any(String) })],
      }),
    )
    expect(run.stdout).toContain('one.md:2:7 has the same slug, \\"twin\\", as two.md:2:7')
    const text = await publish(cwd, ['over.md', 'bad.md', 'old.pack.json'])
    expect(text).toMatchObject({ status: 1, stdout: '' })
    expect(text.stderr).toMatch(/^over\.md:7:\d+ error The pack takes \d+ tokens/m)
    expect(text.stderr).toMatch(/^bad\.md:7:\d+ error .*invalid-value$/m)
    expect(text.stderr).toContain('hint: name its source, or run `pack decode` to get it')
    expect(text.stderr).toContain('3 of 3 failed\n')
  })

  it('escapes control characters of file names and headings in its messages', async () => {
    const cwd = makeFolder({
      'e\u001b[31m\u202e.md': source('a', '# A\n', 'compression: unknown\n'),
      'head.md': source('head', '# A\n\n## B \u009b31m\u202e\n'),
    })
    const failed = await publish(cwd, ['e\u001b[31m\u202e.md'])
    expect(failed.stderr).toContain('e\\u001b[31m\\u202e.md:7:14 error')
    await publish(cwd, ['head.md'])
    writeFileSync(join(cwd, 'head.md'), source('head', '# A\n'))
    const changed = await publish(cwd, ['head.md'])
    expect(changed.stdout).toContain('B \\u009b31m\\u202e')
    for (const { stdout, stderr } of [failed, changed])
      expect(stdout + stderr).not.toMatch(/[\u001b\u009b\u202e]/)
  })

  it('refuses a named version that exists with status 4, and changes nothing', async () => {
    const cwd = makeFolder({ 'a.md': source('a', '# A\n', 'version: "1.0.0"\n') })
    expect((await publish(cwd, ['a.md'])).status).toBe(0)
    writeFileSync(join(cwd, 'a.md'), source('a', '# B\n', 'version: "1.0.0"\n'))
    const [plan, run] = [
      await publish(cwd, ['a.md', '--dry-run', '--json']),
      await publish(cwd, ['a.md', '--json']),
    ]
    for (const found of [plan, run]) {
      expect(found.status).toBe(4)
      expect(listPublished(found)).toEqual([['a', null, 'conflict', 'version_conflict']])
    }
  })

  it('refuses empty stdin, and accepts an empty file', async () => {
    const cwd = makeFolder({ 'empty.md': '' })
    const run = await runPack(['publish', '-', 'empty.md', '--json'], { cwd, env: NONE })
    expect(run.status).toBe(1)
    expect(listPublished(run)).toEqual([
      ['empty', '1.0.0', 'published', null],
      [null, null, 'failed', 'empty_source'],
    ])
    expect(run.stdout).toContain('"stdin is empty"')
  })

  it('publishes nothing of a release that has an invalid source', async () => {
    const cwd = makeFolder({
      'a.md': source('a', '# A\n'),
      'b.md': source('b', '# B\n', 'compression: unknown\n'),
    })
    const bad = await publish(cwd, ['.', '--release', 'r', '--json'])
    expect(bad.status).toBe(1)
    expect(listPublished(bad)).toEqual([
      ['a', null, 'failed', 'release_failed'],
      [null, null, 'failed', 'bad_source'],
    ])
    writeFileSync(join(cwd, 'b.md'), source('b', '# B\n'))
    const good = await publish(cwd, ['.', '--release', 'r', '--json'])
    expect(good.status).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, release: 'r' })
    expect(listPublished(good)).toEqual([
      ['a', '1.0.0', 'published', null],
      ['b', '1.0.0', 'published', null],
    ])
  })

  it('does everything except the commit for --dry-run', async () => {
    const cwd = makeFolder({ 'a.md': source('a', '# A\n'), 'b.md': source('b', '# A\n', 'budget: 1\n') })
    const run = await publish(cwd, ['.', '--dry-run', '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, dry_run: true })
    expect(listPublished(run)).toEqual([
      ['a', '1.0.0', 'published', null],
      ['b', null, 'failed', 'bad_source'],
    ])
    expect(existsSync(join(cwd, '.packs'))).toBe(false)
    expect((await publish(cwd, ['a.md', '--dry-run'])).stdout).toMatch(
      /^1 would be published\npack  version  why\na     1\.0\.0 /,
    )
  })

  it('sums up several sources, by the scheme that the command names', async () => {
    const text = 'A certificate transparency log entry names a certificate transparency log.\n'.repeat(40)
    const cwd = makeFolder({ 'a.md': source('a', text, 'compression: none\n'), 'b.md': source('b', text) })
    const first = await publish(cwd, ['.', '--data', 'cat', '--scheme', 'dense-2'])
    expect(first).toMatchObject({ status: 0, stderr: 'next: pack serve --data cat\n' })
    expect(first.stdout).toMatch(/^2 published, 7\d\.\d % less\npack .*\na .*\nb .*\n$/)
    const again = await publish(cwd, ['.', '--data', 'cat', '--scheme', 'dense-2'])
    expect(again.stdout).toBe('2 unchanged\n')
  })

  it('publishes an index from its own folder, which names it', async () => {
    const cwd = makeFolder({ 'guides/_index.md': '# Guides\n' })
    const run = await publish(join(cwd, 'guides'), ['_index.md', '--json'])
    expect(listPublished(run)).toEqual([['guides', '1.0.0', 'published', null]])
  })

  it('records the git commit of an unchanged file, and the folder of a README', async () => {
    const cwd = makeFolder({
      'docs/README.md': '# Docs\n',
      'docs/changed.md': '# C\n',
      'docs/untracked.md': '# U\n',
    })
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args], {
        cwd,
        encoding: 'utf8',
      })
    git('init', '-q')
    git('add', 'docs/README.md', 'docs/changed.md')
    git('commit', '-qm', 'first')
    writeFileSync(join(cwd, 'docs/changed.md'), '# Changed\n')
    expect((await publish(join(cwd, 'docs'), ['.', '--data', '../data'])).status).toBe(0)
    const catalog = await openCatalog({ url: join(cwd, 'data/catalog.sqlite') })
    const commits = ['docs', 'changed', 'untracked'].map(async (slug) => {
      const { path, git_commit: commit } = (await catalog.packs.provenance(slug, '1.0.0'))!
      return [path, commit]
    })
    expect(await Promise.all(commits)).toEqual([
      ['docs/README.md', git('rev-parse', 'HEAD').trim()],
      ['changed.md', null],
      ['untracked.md', null],
    ])
    await catalog.close()
    const verify = await runInProcess(['verify', 'docs@1.0.0', '--data', 'data'], { cwd, env: NONE })
    expect(verify).toMatchObject({ status: 0, stdout: expect.stringContaining('ok docs@1.0.0') })
  })

  it.each([
    ['no Redis', { REDIS_URL: 'redis://user:hush@127.0.0.1:1' }, 'queue_unavailable', 5],
    ['no address of Redis', { REDIS_URL: 'hush' }, 'invalid_redis_url', 2],
    ['no database', { DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/a' }, 'catalog_unavailable', 5],
    [
      'no address of a database',
      { DATABASE_URL: 'mysql://user:hush@127.0.0.1/a' },
      'invalid_database_url',
      2,
    ],
  ])('reports that there is %s, without printing the address', async (_, env, code, status) => {
    const cwd = makeFolder({ 'a.md': source('a', '# A\n') })
    const run = await publish(cwd, ['a.md', '--json'], env)
    expect(run).toMatchObject({ status, stderr: '' })
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code } })
    expect(run.stdout).not.toContain('hush')
  })
})
