import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const TEXT = { 'docs/a.md': '# A\n', 'docs/b.md': '# B\n', 'docs/c.md': '# C\n' }

async function build(cwd: string, ...args: string[]): Promise<Printed> {
  const run = await runInProcess(['build', ...args], { cwd })
  expect(run.status).toBe(0)
  return run
}

const list = (cwd: string): string[] => readdirSync(join(cwd, 'dist'))

describe('packs of other inputs', () => {
  it('are counted, and named where they are of a source that has another slug now', async () => {
    const cwd = makeFolder({ 'docs/a.md': '# A\n', 'notes/n.md': '# N\n' })
    expect((await build(cwd, '.')).stderr).not.toContain('other inputs')
    const { stderr } = await build(cwd, 'docs', '--clean')
    expect(stderr).toContain('note: dist also has 2 packs of other inputs\n')
    expect(stderr).toContain(
      'note: other inputs gave another slug to docs/a.md (docs-a, now a); remove dist/docs-a.pack.json unless both are wanted\n',
    )
    const { stdout } = await build(cwd, 'docs', '--json')
    expect((JSON.parse(stdout) as { others: unknown }).others).toEqual([
      { slug: 'docs-a', file: 'dist/docs-a.pack.json', source: 'docs/a.md', now: 'a' },
      { slug: 'notes-n', file: 'dist/notes-n.pack.json', source: 'notes/n.md', now: null },
    ])
    rmSync(join(cwd, 'dist/docs-a.pack.json'))
    const last = await build(cwd, 'docs')
    expect(last.stderr).toContain('note: dist also has 1 pack of other inputs\n')
    expect(last.stderr).not.toContain('another slug')
    expect((await build(cwd, 'docs', '--quiet')).stderr).toBe('')
  })

  it('are not those that this build writes again, nor those whose source is gone', async () => {
    const cwd = makeFolder(TEXT)
    await build(cwd, 'docs/a.md', 'docs/b.md')
    expect((await build(cwd, 'docs')).stderr).not.toContain('other inputs')
    await build(cwd, 'docs/a.md', 'docs/b.md')
    rmSync(join(cwd, 'docs/b.md'))
    const { stderr } = await build(cwd, 'docs')
    expect(stderr).toContain('the source of 1 pack is gone: dist/b.pack.json')
    expect(stderr).not.toContain('other inputs')
  })
})

describe('packs whose source is gone', () => {
  it.runIf(process.getuid?.() === 0)(
    'are not those that another user hides, with a repository above',
    async () => {
      const top = makeFolder({
        '.packignore': 'a.md\n',
        'mine/docs/a.md': '# A\n',
        'mine/docs/b.md': '# B\n',
      })
      const cwd = join(top, 'mine')
      await build(cwd, 'docs')
      mkdirSync(join(top, '.git'))
      for (const name of ['.git', '.packignore']) chownSync(join(top, name), 4321, 4321)
      await build(cwd, 'docs', '--clean')
      expect(list(cwd)).toEqual(['.packs.json', 'a.pack.json', 'b.pack.json'])
    },
  )

  it('are named, and removed with --clean', async () => {
    const cwd = makeFolder(TEXT)
    await build(cwd, 'docs')
    rmSync(join(cwd, 'docs/a.md'))
    renameSync(join(cwd, 'docs/b.md'), join(cwd, 'docs/d.md'))
    const named = await build(cwd, 'docs')
    expect(named.stderr).toContain(
      'note: the source of 2 packs is gone: dist/a.pack.json, dist/b.pack.json; --clean removes them\n',
    )
    const tried = await build(cwd, 'docs', '--clean', '--dry-run')
    expect(tried.stderr).toContain('would remove 2 packs whose source is gone: dist/a.pack.json, ')
    expect(list(cwd)).toEqual(['.packs.json', ...['a', 'b', 'c', 'd'].map((slug) => `${slug}.pack.json`)])
    const { stdout } = await build(cwd, 'docs', '--clean', '--json')
    const json = JSON.parse(stdout) as { gone: unknown }
    expect(json.gone).toEqual([
      { slug: 'a', file: 'dist/a.pack.json', status: 'removed' },
      { slug: 'b', file: 'dist/b.pack.json', status: 'removed' },
    ])
    expect(list(cwd)).toEqual(['.packs.json', 'c.pack.json', 'd.pack.json'])
    expect((await build(cwd, 'docs', '--clean')).stderr).not.toContain('gone')
  })

  it('are those that the same inputs no longer find, or find under another slug', async () => {
    const cwd = makeFolder(TEXT)
    await build(cwd, 'docs')
    writeFileSync(join(cwd, 'docs/.packignore'), 'a.md\n')
    writeFileSync(join(cwd, 'docs/b.md'), '---\nslug: bee\n---\n# B\n')
    await build(cwd, 'docs', '--clean')
    expect(list(cwd)).toEqual(['.packs.json', 'bee.pack.json', 'c.pack.json'])
  })

  it('are not those of a build of other inputs into the same folder', async () => {
    const cwd = makeFolder({ ...TEXT, 'notes/n.md': '# N\n', 'docs/deep/e.md': '# E\n' })
    await build(cwd, 'docs')
    await build(cwd, 'notes', '--clean')
    await build(cwd, 'docs/deep/e.md', '--clean')
    const all = ['a', 'b', 'c', 'deep-e', 'e', 'n'].map((slug) => `${slug}.pack.json`)
    expect(list(cwd)).toEqual(['.packs.json', ...all])
    rmSync(join(cwd, 'notes/n.md'))
    await build(cwd, 'docs', '--clean')
    expect(list(cwd)).toEqual(['.packs.json', ...all.slice(0, -1)])
  })

  it('stay while their source has an error or a folder cannot be searched', async () => {
    const cwd = makeFolder(TEXT)
    await build(cwd, 'docs')
    writeFileSync(join(cwd, 'docs/a.md'), '---\nslug: [\n---\n')
    symlinkSync('nowhere.md', join(cwd, 'docs/broken.md'))
    writeFileSync(join(cwd, 'docs/.packignore'), 'b.md\n')
    expect((await runInProcess(['build', 'docs', '--clean'], { cwd })).status).toBe(1)
    expect(list(cwd)).toEqual(['.packs.json', 'a.pack.json', 'b.pack.json', 'c.pack.json'])
  })

  it('stay if somebody changed them or put a link in their place', async () => {
    const cwd = makeFolder({ ...TEXT, precious: 'kept' })
    await build(cwd, 'docs')
    writeFileSync(join(cwd, 'dist/a.pack.json'), 'mine')
    rmSync(join(cwd, 'dist/b.pack.json'))
    symlinkSync('../precious', join(cwd, 'dist/b.pack.json'))
    rmSync(join(cwd, 'docs/a.md'))
    rmSync(join(cwd, 'docs/b.md'))
    const run = await build(cwd, 'docs', '--clean')
    expect(run.stderr).toContain(
      'note: kept dist/a.pack.json, dist/b.pack.json: the source is gone, but the pack was changed after it was built\n',
    )
    expect(list(cwd)).toEqual(['.packs.json', 'a.pack.json', 'b.pack.json', 'c.pack.json'])
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('kept')
  })

  it.each([
    ['is cut short', (text: string) => text.slice(0, -5)],
    ['is of another program', () => '["a"]'],
    ['is of another version', (text: string) => text.replace('packs-build/1', 'packs-build/2')],
    ['names a file outside', (text: string) => text.replace('"slug": "a"', '"slug": "../docs/c"')],
  ])('are not removed because of a record that %s', async (_, damage) => {
    const cwd = makeFolder(TEXT)
    await build(cwd, 'docs')
    const file = join(cwd, 'dist/.packs.json')
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    rmSync(join(cwd, 'docs/a.md'))
    const run = await build(cwd, 'docs', '--clean')
    expect(run.stderr).toContain(
      'note: dist/.packs.json is not the record of a build, so no pack is removed\n',
    )
    expect(list(cwd)).toEqual(['.packs.json', 'a.pack.json', 'b.pack.json', 'c.pack.json'])
    const { packs } = JSON.parse(readFileSync(file, 'utf8')) as { packs: { slug: string; source: string }[] }
    expect(packs.map(({ slug, source }) => [slug, source])).toEqual([
      ['b', '../docs/b.md'],
      ['c', '../docs/c.md'],
    ])
  })

  it('are not recorded through a link', async () => {
    const cwd = makeFolder({ ...TEXT, precious: 'kept' })
    mkdirSync(join(cwd, 'dist'))
    symlinkSync('../precious', join(cwd, 'dist/.packs.json'))
    const run = await build(cwd, 'docs')
    expect(run.stderr).toContain('note: cannot write dist/.packs.json: it is a symbolic link\n')
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('kept')
  })
})

it('says once that the output folder cannot be written, and where', async () => {
  const cwd = makeFolder({ ...TEXT, busy: '' })
  const run = await runInProcess(['build', 'docs', '-o', 'busy/out'], { cwd })
  expect(run).toMatchObject({ status: 1, stdout: '' })
  expect(run.stderr.match(/cannot write/g)).toHaveLength(1)
  expect(run.stderr).toMatch(/^busy\/out error cannot write busy\/out: .* output_failed\n {2}hint: /m)
  expect(run.stderr).toContain('3 of 3 failed and were not written')
  const { stdout } = await runInProcess(['build', 'docs', '-o', 'busy/out', '--json'], { cwd })
  const json = JSON.parse(stdout) as { packs: { messages: { rule: string }[] }[] }
  expect(json.packs.map(({ messages }) => messages.at(-1)!.rule)).toEqual(Array(3).fill('output_failed'))
  expect(readdirSync(cwd)).toEqual(['busy', 'docs'])
})
