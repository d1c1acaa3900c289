import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findFiles } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', stdio: 'pipe', timeout: 20_000 })
}

function find(cwd: string, input = '.'): string[] {
  const { files, failures } = findFiles([input], { cwd, pattern: /\.md$/i })
  expect(failures).toEqual([])
  return files.map(({ shown }) => shown).toSorted()
}

/** Files that git does not ignore. */
function listGit(cwd: string): string[] {
  const names = git(cwd, 'ls-files', '-z', '-co', '--exclude-standard').split('\0')
  return names.filter((name) => /\.md$/i.test(name)).toSorted()
}

/** `tracked` are added although they are ignored. */
function makeRepository(files: Readonly<Record<string, string>>, ...tracked: string[]): string {
  const cwd = makeFolder(files)
  git(cwd, 'init', '-q')
  git(cwd, 'config', 'core.ignorecase', 'false')
  if (tracked.length > 0) git(cwd, 'add', '-f', ...tracked)
  return cwd
}

const NAMES = ['a', 'B', 'gen', 'Docs', 'docs', 'x y']
const FILES = ['a.md', 'low.md', 'Up.md', 'gen.md', 'README.md', '!b.md', '#c.md', 'ü.md', 'x[1].md']
const PATTERNS = ['a', 'B/', '/gen', '!gen/', 'gen/', 'docs', 'Docs/', 'readme.md', '*.md', '!low.md', '/*']
PATTERNS.push(
  '!a/',
  '**/gen.md',
  'a/**',
  '!a/b',
  'a/*/low.md',
  '# a',
  '\\#c.md',
  '\\!b.md',
  'x y/',
  'Up.md  ',
)
PATTERNS.push('[a-l]*.md', '!/docs', 'x\\[1\\].md', 'U?.md', 'docs/**/a.md', '!**/Up.md', '/a/gen/', 'ü*')

const PATHS = fc
  .tuple(fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }), fc.constantFrom(...FILES))
  .map(([folders, file]) => [...folders, file].join('/'))
const RULES = fc.tuple(
  fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }),
  fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 4 }),
  fc.constantFrom('\n', '\r\n'),
)
const TREES = fc.record({
  paths: fc.uniqueArray(PATHS, { minLength: 4, maxLength: 16 }),
  rules: fc.array(RULES, { minLength: 1, maxLength: 4 }),
  more: fc.array(fc.constantFrom('[[:upper:]]*.md', '!*.MD', 'low.md', '[![:alpha:]]*'), { maxLength: 2 }),
  tracked: fc.array(fc.nat(), { maxLength: 3 }),
})

/** Writes random trees into folders of a repository, so that few calls of git compare all of them. */
function writeTrees(cwd: string): { readonly tracked: readonly string[]; readonly more: readonly string[] } {
  const trees = fc.sample(TREES, 40)
  const tracked = new Set<string>()
  for (const [at, { paths, rules, ...tree }] of trees.entries()) {
    const write = (path: string, text: string): void => {
      mkdirSync(join(cwd, `t${at}`, dirname(path)), { recursive: true })
      writeFileSync(join(cwd, `t${at}`, path), text)
    }
    for (const path of paths) write(path, '')
    for (const [folders, patterns, end] of rules)
      write([...folders, '.gitignore'].join('/'), patterns.join(end) + end)
    for (const number of tree.tracked) tracked.add(`t${at}/${paths[number % paths.length]}`)
  }
  return { tracked: [...tracked], more: trees.flatMap(({ more }) => more) }
}

describe('what a search ignores', () => {
  it('is what git ignores, in random trees', () => {
    const cwd = makeRepository({})
    const { tracked, more } = writeTrees(cwd)
    git(cwd, 'add', '-f', ...tracked)
    writeFileSync(join(cwd, '.git/info/exclude'), more.join('\n'))
    expect(find(cwd)).toEqual(listGit(cwd))
    expect(find(cwd, '**/*.md')).toEqual(listGit(cwd))
  })

  it('is the same without a repository', () => {
    const cwd = makeRepository({})
    writeTrees(cwd)
    const expected = listGit(cwd)
    rmSync(join(cwd, '.git'), { recursive: true })
    expect(find(cwd)).toEqual(expected)
  })

  it.each<[string, Record<string, string>, string[], string[]]>([
    [
      'case',
      { '.gitignore': 'Docs/\nbuild\nTODO.md\n' },
      ['docs/a.md', 'Build/b.md', 'todo.md', 'build/c.md'],
      ['build/c.md'],
    ],
    [
      'a folder that is re-included below',
      { '.gitignore': 'gen/\n', 'a/.gitignore': '!gen/\n' },
      ['a/gen/x.md', 'b/gen/x.md'],
      ['b/gen/x.md'],
    ],
    ['classes of POSIX', { '.gitignore': '[[:upper:]]*.md\n' }, ['Up.md', 'low.md'], ['Up.md']],
    [
      'a chain of re-includes',
      { '.gitignore': '/*\n!/docs\n/docs/*\n!/docs/a\n' },
      ['docs/a/x.md', 'docs/b/x.md', 'y.md'],
      ['docs/b/x.md', 'y.md'],
    ],
    ['a file below an ignored folder', { '.gitignore': 'a/\n!a/x.md\n' }, ['a/x.md', 'b/x.md'], ['a/x.md']],
    [
      'a folder named like a glob',
      { 'x[1]/.gitignore': 'a.md\n/b.md\n' },
      ['x[1]/a.md', 'x[1]/c/b.md', 'x1/a.md'],
      ['x[1]/a.md'],
    ],
    ['BOM and CRLF', { '.gitignore': '\uFEFFa.md\r\nb.md\r\n' }, ['a.md', 'b.md', 'c.md'], ['a.md', 'b.md']],
  ])('follows git: %s', (_, rules, paths, ignored) => {
    const cwd = makeRepository({ ...rules, ...Object.fromEntries(paths.map((path) => [path, ''])) })
    expect(find(cwd)).toEqual(paths.filter((path) => !ignored.includes(path)).toSorted())
  })

  it('takes what is tracked, and skips what the settings of git exclude', () => {
    const files = {
      '.gitignore': '*.tmp.md\nout/\n',
      'a.tmp.md': '',
      'b.tmp.md': '',
      'out/c.md': '',
      'out/d.md': '',
    }
    const cwd = makeRepository(
      { ...files, 'e.md': '', 'f.md': '', 'g.md': '', global: 'f.md\n' },
      'a.tmp.md',
      'out/c.md',
    )
    appendFileSync(join(cwd, '.git/info/exclude'), 'e.md\n')
    git(cwd, 'config', 'core.excludesFile', join(cwd, 'global'))
    expect(find(cwd)).toEqual(['a.tmp.md', 'g.md', 'out/c.md'])
    expect(find(join(cwd, 'out'))).toEqual(['c.md'])
    git(cwd, 'config', 'core.ignorecase', 'true')
    writeFileSync(join(cwd, '.git/info/exclude'), 'G.MD\n')
    expect(find(cwd)).toEqual(['a.tmp.md', 'e.md', 'out/c.md'])
  })

  it('asks each repository in a folder, and none that a hook of git names', () => {
    const cwd = makeRepository({
      '.gitignore': 'a.md\n',
      'a.md': '',
      'sub/.gitignore': 'b.md\n',
      'sub/a.md': '',
      'sub/b.md': '',
    })
    git(join(cwd, 'sub'), 'init', '-q')
    const before = process.env['GIT_DIR']
    process.env['GIT_DIR'] = makeFolder()
    try {
      expect(find(cwd)).toEqual(['sub/a.md'])
    } finally {
      if (before === undefined) delete process.env['GIT_DIR']
      else process.env['GIT_DIR'] = before
    }
  })

  it('says in one warning that git does not answer, and why', () => {
    const cwd = makeRepository({ '.gitignore': 'a.md\n', 'a.md': '', 'b/c.md': '', 'd.md': '' })
    writeFileSync(join(cwd, '.git/HEAD'), 'no branch')
    const { files, messages } = findFiles(['.', 'b', '**/*.md'], { cwd, pattern: /\.md$/i })
    expect(files.map(({ shown }) => shown)).toEqual(['b/c.md', 'd.md'])
    expect(messages).toMatchObject([
      {
        rule: 'git-unavailable',
        severity: 'warning',
        message: expect.stringContaining('not a git repository'),
      },
    ])
  })

  it('is what .packignore says, where it has a rule', () => {
    const files = {
      '.gitignore': 'drafts/\n*.tmp.md\n',
      '.packignore': 'secret.md\n!kept.tmp.md\n!drafts/\n',
    }
    const cwd = makeRepository(
      { ...files, 'secret.md': '', 'kept.tmp.md': '', 'x.tmp.md': '', 'drafts/deep/a.md': '' },
      'secret.md',
    )
    expect(find(cwd)).toEqual(['drafts/deep/a.md', 'kept.tmp.md'])
    expect(find(cwd, '**/*.md')).toEqual(['drafts/deep/a.md', 'kept.tmp.md'])
  })
})
