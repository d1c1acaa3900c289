import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const PHRASE = 'certificate transparency log'
const HEAD =
  '---\nslug: page\ntitle: Page\ndomain: D\nsubdomain: S\ndifficulty: beginner\ncompression: dense-2\nweight: 3\n---\n'
const BEFORE = `${HEAD}# Page\n\n${`Every ${PHRASE} entry names a ${PHRASE}.\n`.repeat(30)}\n## Old part\n\nThe last words stay.\n`
const AFTER = `${HEAD.replace('title: Page', 'title: Pages').replace('weight: 3', 'weight: 4')}# Page\n\n## New first part\n\n## New part\n\nThe last words stay here.\n`

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main']
  return execFileSync('git', ['-C', cwd, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' })
}

/** A repository with two versions of docs/page.md: the first is committed, the second in the working folder. */
function makeRepository(): string {
  const cwd = makeFolder({ 'docs/page.md': BEFORE })
  git(cwd, 'init', '--quiet')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '--quiet', '-m', 'one')
  writeFileSync(join(cwd, 'docs/page.md'), AFTER)
  return cwd
}

describe('pack diff', () => {
  it('compares a pack with a source: tokens, fields, entries and words', async () => {
    const cwd = makeFolder({ 'old.md': BEFORE, 'new.md': AFTER })
    expect(await runInProcess(['build', 'old.md'], { cwd })).toMatchObject({ status: 0 })
    const pack = JSON.parse(readFileSync(join(cwd, 'dist/page.pack.json'), 'utf8')) as Record<string, number>
    const run = await runInProcess(['diff', 'dist/page.pack.json', 'new.md', '--json'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    const json = JSON.parse(run.stdout) as { tokens: Record<string, unknown> }
    expect(json).toMatchObject({
      ok: true,
      different: true,
      before: { name: 'dist/page.pack.json', kind: 'pack', slug: 'page' },
      after: { name: 'new.md', kind: 'source', slug: 'page' },
      fields: expect.arrayContaining([
        { field: 'title', before: 'Page', after: 'Pages' },
        { field: 'metadata.weight', before: 3, after: 4 },
      ]),
      front_matter: true,
      entries: { after: 0, added: [], removed: [{ expansion: expect.stringContaining(PHRASE) }] },
      words: { estimate: false },
    })
    expect(json.tokens).toMatchObject({
      content: { before: pack['token_count'] },
      header: { before: pack['rosetta_tokens'], after: 0, difference: -pack['rosetta_tokens']! },
      source: { before: pack['uncompressed_estimate'] },
    })
  })

  it('prints what differs, and says where nothing does', async () => {
    const cwd = makeFolder({ 'old.md': BEFORE, 'new.md': AFTER })
    const run = await runInProcess(['diff', 'old.md', 'new.md'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toMatch(
      /^old\.md → new\.md\n88 → 18 tokens: 79\.5 % less\. It saves 0\.0 % of its source, before 74\.3 %\.\n\ntokens +before +after +change\nsource /,
    )
    expect(run.stdout).toContain('\n  title: "Page" → "Pages"\n')
    expect(run.stdout).toMatch(/\nentries: \d+ → 0; 0 new, \d+ gone/)
    expect(run.stdout).toContain('\n  - The last words stay.\n  + The last words stay here.\n')
    const same = await runInProcess(['diff', 'old.md', 'old.md', '--exit-code'], { cwd })
    expect(same).toMatchObject({ status: 0, stdout: 'old.md → old.md: no difference\n' })
    expect(await runInProcess(['diff', 'old.md', 'new.md', '--exit-code'], { cwd })).toMatchObject({
      status: 1,
    })
  })

  it('compares with a git revision: as REVISION:PATH, with --rev, and with the last commit', async () => {
    const cwd = makeRepository()
    const named = await runInProcess(['diff', 'main:docs/page.md', 'docs/page.md'], { cwd })
    expect(named).toMatchObject({ status: 0, stderr: '' })
    expect(named.stdout).toContain('main:docs/page.md → docs/page.md\n')
    const [, ...lines] = named.stdout.split('\n')
    const byOption = await runInProcess(['diff', '--rev', 'main', 'page.md'], { cwd: join(cwd, 'docs') })
    expect(byOption.stdout.split('\n').slice(1)).toEqual(lines)
    const last = await runInProcess(['diff', 'docs/page.md'], { cwd })
    expect(last.stdout.split('\n')).toEqual(['HEAD:docs/page.md → docs/page.md', ...lines])
    const below = await runInProcess(['diff', 'HEAD:./page.md', 'page.md'], { cwd: join(cwd, 'docs') })
    expect(below.stdout.split('\n').slice(1)).toEqual(lines)
  })

  it('compares a source without a slug with its revision under the slug of its name', async () => {
    const cwd = makeFolder({ 'README.md': '# Read\n' })
    git(cwd, 'init', '--quiet')
    git(cwd, 'add', '.')
    git(cwd, 'commit', '--quiet', '-m', 'one')
    expect(await runInProcess(['diff', 'README.md'], { cwd })).toMatchObject({
      status: 0,
      stdout: 'HEAD:README.md → README.md: no difference\n',
    })
  })

  it('runs no program that the settings of a repository name', async () => {
    const cwd = makeRepository()
    const program = join(cwd, 'program.sh')
    writeFileSync(program, `#!/bin/sh\ntouch "${join(cwd, 'was-run')}"\ncat\n`)
    chmodSync(program, 0o755)
    writeFileSync(join(cwd, '.gitattributes'), '*.md filter=own diff=own\n')
    for (const key of [
      'core.fsmonitor',
      'diff.external',
      'diff.own.textconv',
      'filter.own.smudge',
      'core.pager',
    ])
      git(cwd, 'config', key, program)
    expect(await runInProcess(['diff', 'docs/page.md'], { cwd })).toMatchObject({ status: 0 })
    expect(existsSync(join(cwd, 'was-run'))).toBe(false)
  })

  it('compares folders page by page, by their slugs or paths', async () => {
    const cwd = makeFolder({
      'old/index.md': '# Docs\n\nThe first words.\n',
      'old/gone.md': '# Gone\n',
      'old/same.md': '# Same\n',
      'new/index.md': '# Docs\n\nThe other words.\n',
      'new/same.md': '# Same\n',
      'new/more.md': '# More\n',
    })
    const run = await runInProcess(['diff', 'old', 'new', '--exit-code'], { cwd })
    expect(run).toMatchObject({ status: 1, stderr: '' })
    expect(run.stdout).toContain(
      '\n\nold/index.md → new/index.md\n7 tokens, as before. It saves 0.0 % of its source.\n',
    )
    expect(run.stdout).toContain('\n  - The first words.\n  + The other words.\n')
    expect(run.stdout).toMatch(
      /^1 of 2 differ, 1 new, 1 removed\nnew: new\/more\.md\nremoved: old\/gone\.md\n/,
    )
    expect(await runInProcess(['build', 'new'], { cwd })).toMatchObject({ status: 0 })
    const { stdout } = await runInProcess(['diff', 'dist', 'new', '--json'], { cwd })
    const packs = ['more', 'new', 'same'].map((slug) => ({ different: false, before: { slug } }))
    expect(JSON.parse(stdout)).toMatchObject({ different: false, packs, added: [], removed: [] })
  })

  it('uses the configuration for both sides', async () => {
    const cwd = makeRepository()
    writeFileSync(
      join(cwd, 'packs.config.json'),
      JSON.stringify({ worthHeader: { percent: 100, tokens: 0 } }),
    )
    const run = await runInProcess(['diff', 'docs/page.md', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toMatchObject({ tokens: { header: { before: 0, after: 0 } } })
  })

  it.each([
    [['absent.md', 'docs/page.md'], 1, 'absent.md does not exist'],
    [['nope:docs/page.md', 'docs/page.md'], 1, 'git cannot read nope:docs/page.md'],
    [['HEAD:absent.md', 'docs/page.md'], 1, 'git cannot read HEAD:absent.md'],
    [['HEAD:docs', 'docs/page.md'], 1, 'git cannot read HEAD:docs'],
    [['docs', 'docs/page.md'], 1, 'docs is a folder'],
    [['bad.pack.json', 'docs/page.md'], 1, 'bad.pack.json'],
    [['docs/page.md', 'bad.md'], 1, 'bad.md cannot be built'],
    [['page@1.0.0', 'docs/page.md'], 1, 'there is no version page@1.0.0'],
    [['page@1.x', 'docs/page.md'], 2, 'is not a version of a pack'],
    [['docs/page.md', '--rev', '-x'], 2, '"-x" is not a git revision'],
    [['docs/page.md', 'bad.md', '--rev', 'HEAD'], 2, '--rev compares one file'],
    [['', 'bad.md'], 2, 'a name is empty'],
    [[], 2, "missing required argument 'before'"],
  ])('refuses %j with status %i', async (args, status, message) => {
    const cwd = makeRepository()
    writeFileSync(join(cwd, 'bad.pack.json'), '{}')
    writeFileSync(join(cwd, 'bad.md'), '---\nbudget: none\n---\n')
    const run = await runInProcess(['diff', ...args], { cwd })
    expect(run).toMatchObject({ stdout: '' })
    expect(run.stderr).toContain(message)
    expect(run.status).toBe(status)
    const json = await runInProcess(['diff', '--json', ...args], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { hint: expect.stringMatching(/./) } })
  })

  it('says that a file has no revision outside of a repository', async () => {
    const cwd = makeFolder({ 'page.md': '# Page\n' })
    const run = await runInProcess(['diff', 'page.md'], {
      cwd,
      env: { GIT_CEILING_DIRECTORIES: join(cwd, '..') },
    })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('not a git repository')
  })

  it('compares versions of a catalog', async () => {
    const cwd = makeFolder({ 'page.md': BEFORE })
    expect(await runInProcess(['publish', 'page.md'], { cwd })).toMatchObject({ status: 0 })
    writeFileSync(join(cwd, 'page.md'), BEFORE.replace('The last words stay.', 'The last words go.'))
    expect(await runInProcess(['publish', 'page.md'], { cwd })).toMatchObject({ status: 0 })
    const run = await runInProcess(['diff', 'page@1.0.0', 'page.md', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toMatchObject({
      before: { kind: 'version', name: 'page@1.0.0', version: '1.0.0' },
      words: { added: 1, removed: 1 },
    })
  })
})
