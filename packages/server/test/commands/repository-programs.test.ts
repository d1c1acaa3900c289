import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const NONE = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: '' }

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org']
  return execFileSync('git', ['-C', cwd, ...identity, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 20_000,
  }).trim()
}

interface Trap {
  readonly cwd: string
  /** Returns the names of the programs that were run since the last call. */
  readonly takeRun: () => readonly string[]
}

/** A repository whose attributes and settings name a program wherever git takes one. The blob of docs/gone.md is missing. */
function makeTrap(): Trap {
  const cwd = makeFolder({
    'docs/page.md': '# Page\n\nA line of text.\n',
    'docs/gone.md': '# Gone\n\nA line of text.\n',
    'packs.config.json': '{}',
  })
  git(cwd, 'init', '-q')
  git(cwd, 'add', 'docs')
  git(cwd, 'commit', '-qm', 'one')
  const gone = git(cwd, 'rev-parse', 'HEAD:docs/gone.md')
  rmSync(join(cwd, '.git/objects', gone.slice(0, 2), gone.slice(2)))
  writeFileSync(join(cwd, '.gitattributes'), '*.md filter=trap diff=trap\n')

  const log = join(makeFolder(), 'log')
  const program = (name: string): string => {
    const path = join(cwd, '.git', `trap-${name}`)
    writeFileSync(path, `#!/bin/sh\necho ${name} >> '${log}'\nexit 1\n`)
    chmodSync(path, 0o755)
    return path
  }
  const settings: Readonly<Record<string, string>> = {
    'filter.trap.clean': program('clean'),
    'filter.trap.smudge': program('smudge'),
    'filter.trap.required': 'true',
    'diff.trap.textconv': program('textconv'),
    'diff.trap.command': program('diff-driver'),
    'diff.external': program('external-diff'),
    'core.fsmonitor': program('fsmonitor'),
    'core.hooksPath': join(cwd, '.git/trap-hooks'),
    'core.pager': program('pager'),
    'core.editor': program('editor'),
    'core.sshCommand': program('ssh'),
    'core.askPass': program('ask-pass'),
    'credential.helper': program('credential'),
    'gpg.program': program('gpg'),
    'alias.ls-tree': `!${program('alias')}`,
    'alias.cat-file': `!${program('alias')}`,
    // An object that is missing is fetched from here.
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${program('remote')}`,
    'protocol.allow': 'always',
    'protocol.ext.allow': 'always',
  }
  for (const [name, value] of Object.entries(settings)) git(cwd, 'config', name, value)
  // The time of the index is older, so git would read and filter the file to compare it.
  utimesSync(join(cwd, 'docs/page.md'), 2e9, 2e9)
  rmSync(log, { force: true })
  return {
    cwd,
    takeRun() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
      rmSync(log, { force: true })
      return [...new Set(lines)].toSorted()
    },
  }
}

describe('the programs that a repository names', () => {
  it('are run by plain git commands, so that the trap works', () => {
    const { cwd, takeRun } = makeTrap()
    const attempt = (...args: string[]): readonly string[] => {
      try {
        git(cwd, ...args)
      } catch {
        // Programs that only write their names fail as filters and remotes.
      }
      return takeRun()
    }
    expect(attempt('diff', '--name-only', 'HEAD', '--', 'docs/page.md')).toContain('clean')
    expect(attempt('status', '--short')).toContain('fsmonitor')
    expect(attempt('cat-file', 'blob', 'HEAD:docs/gone.md')).toContain('remote')
  })

  it.each([
    [['build', 'docs']],
    [['preview', 'docs/page.md']],
    [['check', 'docs']],
    [['check', 'docs', '--against', 'packs.json']],
    [['search', 'text', 'docs']],
    [['publish', 'docs', '--dry-run']],
    [['publish', 'docs']],
    [['diff', 'docs/page.md']],
    [['diff', '--rev', 'HEAD', 'docs/gone.md']],
    [['diff', 'HEAD:docs/page.md', 'docs/page.md']],
    [['diff', 'HEAD:docs/gone.md', 'docs/page.md']],
  ])('are not run by pack %j', async (args) => {
    const { cwd, takeRun } = makeTrap()
    await runInProcess(args, { cwd, env: NONE })
    expect(takeRun()).toEqual([])
  })
})

describe('the git commit of a published file', () => {
  it('is recorded only if the commit has the bytes that are published', async () => {
    const cwd = makeFolder({
      'docs/same.md': '# Same\n\nA line.\n',
      'docs/crlf.md': '# CRLF\r\n\r\nA line.\r\n',
      'docs/ends.md': '# Ends\r\n\r\nA line.\r\n',
      'docs/large.md': '# Large\n\nA line of the file.\n',
      'docs/*.md': '# Star\n\nA line.\n',
      'docs/replaced.md': '# Replaced\n\nA line.\n',
      '.gitattributes': 'ends.md text\nlarge.md filter=pointer\n',
    })
    git(cwd, 'init', '-q')
    git(cwd, 'config', 'core.autocrlf', 'false')
    git(cwd, 'config', 'filter.pointer.clean', 'echo a pointer')
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-qm', 'one')
    // Git takes all of them for unchanged.
    expect(git(cwd, 'status', '--short')).toBe('')
    // With a replacement, git shows other bytes for an object than those of its name.
    const object = git(cwd, 'rev-parse', 'HEAD:docs/replaced.md')
    writeFileSync(join(cwd, 'docs/replaced.md'), '# Replaced\n\nAnother line.\n')
    git(cwd, 'replace', object, git(cwd, 'hash-object', '-w', 'docs/replaced.md'))
    expect((await runInProcess(['publish', 'docs', '--data', 'data'], { cwd, env: NONE })).status).toBe(0)
    const catalog = await openCatalog({ url: join(cwd, 'data/catalog.sqlite') })
    const slugs = ['same', 'crlf', 'ends', 'large', 'replaced']
    const commits = slugs.map(async (slug) => (await catalog.packs.provenance(slug, '1.0.0'))?.git_commit)
    const head = git(cwd, 'rev-parse', 'HEAD')
    expect(await Promise.all(commits)).toEqual([head, head, null, null, null])
    await catalog.close()
  })

  it('is found in a repository with SHA-256', async () => {
    const cwd = makeFolder({ 'a.md': '# A\n\nA line.\n' })
    git(cwd, 'init', '-q', '--object-format=sha256')
    git(cwd, 'add', 'a.md')
    git(cwd, 'commit', '-qm', 'one')
    expect((await runInProcess(['publish', 'a.md', '--data', 'data'], { cwd, env: NONE })).status).toBe(0)
    const catalog = await openCatalog({ url: join(cwd, 'data/catalog.sqlite') })
    expect(await catalog.packs.provenance('a', '1.0.0')).toMatchObject({
      git_commit: git(cwd, 'rev-parse', 'HEAD'),
    })
    await catalog.close()
  })
})
