import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const SECRET = '# The secret\n'

/** Creates a folder `repo`, with files beside it, and links in it. */
function makeProject(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>>,
): { readonly top: string; readonly run: (...args: string[]) => Promise<Printed> } {
  const top = makeFolder({ 'outside/secret.md': SECRET, 'outside/secret.pack.json': '{}', ...files })
  for (const [link, target] of Object.entries(links)) {
    mkdirSync(dirname(join(top, link)), { recursive: true })
    symlinkSync(target, join(top, link))
  }
  return { top, run: (...args) => runInProcess(args, { cwd: join(top, 'repo') }) }
}

describe('a link out of the sources', () => {
  const GIT = { 'repo/.git/HEAD': '' }
  const LINK = { 'repo/docs/link.md': '../../outside/secret.md' }

  it.each([
    ['in a repository, by a folder', GIT, LINK, ['docs']],
    ['without a repository', {}, LINK, ['docs']],
    [
      'to the folder above the named one',
      { 'repo/own.md': SECRET },
      { 'repo/docs/link.md': '../own.md' },
      ['docs'],
    ],
    [
      'to the settings of git',
      { 'repo/.git/config': SECRET },
      { 'repo/docs/link.md': '../.git/config' },
      ['docs'],
    ],
    ['of a configuration', { ...GIT, 'repo/packs.config.json': '{"sources":["docs/link.md"]}' }, LINK, []],
    [
      'of a configuration that is a folder',
      { ...GIT, 'repo/packs.config.json': '{"sources":["docs/link"]}' },
      { 'repo/docs/link': '../../outside' },
      [],
    ],
  ])('is skipped and named %s, and the other sources are built', async (_, files, links, inputs) => {
    const { top, run } = makeProject({ 'repo/docs/a.md': '# A\n', ...files }, links)
    const [name] = Object.keys(links).map((link) => link.replace('repo/', ''))
    const { status, stderr } = await run('build', ...inputs)
    // One that a configuration names is an error.
    expect(status).toBe(inputs.length === 0 ? 1 : 0)
    expect(stderr).toContain(`${name} leads out of `)
    expect(stderr).toContain('linked_input')
    const packs = existsSync(join(top, 'repo/dist')) ? readdirSync(join(top, 'repo/dist')) : []
    expect(packs.filter((pack) => pack !== '.packs.json' && pack !== 'a.pack.json')).toEqual([])
  })

  it('is not taken by a glob', async () => {
    const { top, run } = makeProject({ ...GIT, 'repo/docs/a.md': '# A\n' }, LINK)
    expect((await run('build', 'docs/*.md')).status).toBe(0)
    expect(readdirSync(join(top, 'repo/dist'))).toEqual(['.packs.json', 'a.pack.json'])
  })

  it('is read where it is named, and where it stays in the repository', async () => {
    const { top, run } = makeProject(
      { ...GIT, 'repo/own.md': SECRET },
      { ...LINK, 'repo/more/own.md': '../own.md' },
    )
    expect(await run('build', 'docs/link.md', 'more')).toMatchObject({ status: 0 })
    expect(readdirSync(join(top, 'repo/dist'))).toEqual(['.packs.json', 'link.pack.json', 'own.pack.json'])
  })

  it.each([[['check']], [['search', 'word']], [['prompt']]])('is refused by %j', async (args) => {
    const { run } = makeProject(GIT, { 'repo/dist/link.pack.json': '../../outside/secret.pack.json' })
    const { status, stdout, stderr } = await run(...args, 'dist')
    expect(status).not.toBe(0)
    expect(stdout + stderr).toMatch(/dist\/link\.pack\.json (?:is skipped: it )?leads out of /)
  })
})

const SKIPPED = [
  'docs/sub is skipped: cannot read it: permission denied\n',
  'docs/gone.md is skipped: it is a link to a file that does not exist\n',
  'docs/out.md is skipped: it leads out of ',
]

it.each(['context a', 'search a', 'prompt', 'mcp'])(
  '%s skips what a folder has, but not what is named',
  async (args) => {
    const links = { 'repo/docs/gone.md': 'absent', 'repo/docs/out.md': '../../outside/secret.md' }
    const { top, run } = makeProject({ 'repo/docs/a.md': '# A\n', 'repo/docs/sub/b.md': '# B\n' }, links)
    for (const [path, mode] of [
      [top, 0o755],
      [join(top, 'repo/docs/sub'), 0],
    ] as const)
      chmodSync(path, mode)
    const options = { cwd: join(top, 'repo'), uid: process.getuid?.() === 0 ? 65_534 : undefined }
    const { status, stderr } = await runPack([...args.split(' '), 'docs'], options)
    chmodSync(join(top, 'repo/docs/sub'), 0o755)
    expect(status).toBe(0)
    for (const line of SKIPPED) expect(stderr).toContain(`warning: ${line}`)
    const named = await run(...args.split(' '), 'docs', 'docs/gone.md')
    expect(named.stderr).toContain('error: docs/gone.md is a link to a file that does not exist\n')
  },
)

describe('a linked configuration', () => {
  it('is refused if it leads out, unless it is named', async () => {
    const files = { 'outside/conf.json': '{"secret":1}', 'repo/.git/HEAD': '', 'repo/a.md': '# A\n' }
    const { run } = makeProject(files, { 'repo/packs.config.json': '../outside/conf.json' })
    const found = await run('build')
    expect(found.status).toBe(4)
    expect(found.stderr).toContain('error: packs.config.json leads out of ')
    expect(found.stderr).not.toContain('secret')
    expect((await run('build', '--config', 'packs.config.json')).stderr).toContain('secret')
  })
})

describe('a linked output folder', () => {
  it.each([
    ['dist', {}, ['build', 'a.md'], 'dist'],
    ['packs', { 'repo/packs.config.json': '{"out":"packs/all"}' }, ['build', 'a.md'], 'packs/all'],
  ])('is not written through: %s', async (link, files, args, shown) => {
    const { top, run } = makeProject({ 'repo/a.md': '# A\n', ...files }, {})
    await run('build', 'a.md', '-o', '.')
    mkdirSync(join(top, 'target'))
    symlinkSync('../target', join(top, 'repo', link))
    const { status, stdout, stderr } = await run(...args)
    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain(`cannot write ${shown}: a symbolic link leads out of `)
    expect(readdirSync(join(top, 'target'))).toEqual([])
  })

  it('is written to where it is named', async () => {
    const { top, run } = makeProject({ 'repo/a.md': '# A\n' }, { 'repo/out': '../outside' })
    expect((await run('build', 'a.md', '-o', 'out')).status).toBe(0)
    expect(readdirSync(join(top, 'outside'))).toContain('a.pack.json')
  })
})
