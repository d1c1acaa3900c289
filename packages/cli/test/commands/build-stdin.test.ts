import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher, makeFolder, runPack, type Run } from '../../../test-kit/test/run-pack.ts'

const TEXT = '# Logs\n\nEvery certificate transparency log entry names a certificate transparency log.\n'
/** As MDX, an expression is not text. As markdown, its words are replaced. */
const MDX = `# Page\n\n${'{["certificate transparency log", "certificate transparency log"].length}\n\n'.repeat(30)}`
const CONFIG = JSON.stringify({ domain: { 'docs/**': 'Guides' } })

/** Builds stdin to stdout in a folder with a configuration. */
function buildStdin(input: string, ...options: string[]): Promise<Run> {
  return runPack(['build', '-', '-o', '-', ...options], {
    cwd: makeFolder({ 'packs.config.json': CONFIG }),
    input,
  })
}

describe('pack build -', () => {
  it('reads stdin and writes stdout', async () => {
    const cwd = makeFolder()
    const run = await runPack(['build', '-', '-o', '-'], { cwd, input: TEXT })
    expect(run.status).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ format: 'packs/2', slug: 'stdin' })
    expect(run.stderr).toContain('1 page, ')
    expect(readdirSync(cwd)).toEqual([])
    const decoded = await runPack(['decode', '-'], { input: run.bytes })
    expect(decoded.stdout).toBe(TEXT)
  })

  it('refuses a folder', () => {
    const stdin = openSync(makeFolder(), 'r')
    onTestFinished(() => closeSync(stdin))
    const run = spawnSync(process.execPath, [launcher, 'build', '-', '-o', '-'], {
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('<stdin> is a folder')
  })

  it('takes slug and configured values from --stdin-name', async () => {
    const run = await buildStdin(TEXT, '--stdin-name', 'docs/README.md')
    expect(JSON.parse(run.stdout)).toMatchObject({ slug: 'docs', domain: 'Guides' })
  })

  it('reads MDX if --stdin-name has that extension', async () => {
    const [page, text] = await Promise.all([
      buildStdin(MDX, '--stdin-name', 'page.mdx', '--scheme', 'dense-2'),
      buildStdin(MDX, '--stdin-name', 'page.md', '--scheme', 'dense-2'),
    ])
    expect(JSON.parse(page.stdout)).toMatchObject({ slug: 'page', content: MDX })
    expect((JSON.parse(text.stdout) as { content: string }).content).not.toBe(MDX)
  })

  it('names --stdin-name in messages', async () => {
    const run = await buildStdin('---\nslug: x\nslug: y\n---\n', '--stdin-name', 'docs/page.mdx')
    expect(run.status).toBe(1)
    expect(run.stderr).toMatch(/^docs\/page\.mdx:\d+:\d+ error /)
  })

  it('takes no result of another name from the cache, and records no source', async () => {
    const cwd = makeFolder({ 'package.json': '{}', 'node_modules/.keep': '' })
    const build = (...options: string[]): Promise<Run> =>
      runPack(['build', '-', ...options], { cwd, input: TEXT })
    await build()
    await build('--stdin-name', 'first.md')
    await build('--stdin-name', 'second.md')
    const slugs = ['stdin', 'first', 'second'].map((name) => {
      const text = readFileSync(join(cwd, `dist/${name}.pack.json`), 'utf8')
      return (JSON.parse(text) as { slug: string }).slug
    })
    expect(slugs).toEqual(['stdin', 'first', 'second'])
    expect(existsSync(join(cwd, 'dist/.packs.json'))).toBe(false)
  })

  it('refuses a pack by its --stdin-name, as it refuses a file', async () => {
    const run = await buildStdin('{}', '--stdin-name', 'a.pack.json')
    expect(run.stderr).toContain('a.pack.json is already a pack')
  })
})
