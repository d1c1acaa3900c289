import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatEstimate } from '../../src/build-run/final-figures.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const REPEATED = 'Every velvet grey hat entry names a velvet grey hat.\n'.repeat(20)
/** Nothing repeats here, under any scheme. */
const SHORT = 'Blue ink dries on red paper.\n'
const LARGE = SHORT.repeat(600)

const build = (cwd: string, ...options: string[]): Promise<Printed> =>
  runInProcess(['build', 'docs', '--config', 'none', '--dry-run', ...options], { cwd })

async function readEstimate(files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { stdout } = await build(makeFolder(files), '--no-cache')
  return stdout.split('\n').find((line) => line.startsWith('--scheme'))
}

/** Lists the entries of the cache with their numbers, of which a file that is written again gets another one. */
function listEntries(cwd: string): unknown[] {
  const folder = join(cwd, 'node_modules/.cache/packs')
  return readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino])
}

describe('the line on dense-2', () => {
  it('ends a build under the default, with what the scheme saves', async () => {
    const cwd = makeFolder({ 'docs/a.md': REPEATED })
    const { stdout } = await build(cwd, '--json', '--scheme', 'dense-2')
    const [pack] = (JSON.parse(stdout) as { packs: { net_savings_pct: number }[] }).packs
    const last = (await build(cwd)).stdout.trimEnd().split('\n').at(-1)
    expect(last).toBe(
      `--scheme dense-2: about ${Math.round(pack!.net_savings_pct)} % less in all, for large models (estimated on 1 page)`,
    )
  })

  it('says what all pages would save, and on how many it is estimated', () => {
    expect(formatEstimate({ sources: 1005, percent: 12.4 })).toBe(
      '--scheme dense-2: about 12 % less in all, for large models (estimated on 1,005 pages)',
    )
  })

  it('takes the same sources of a set, up to 16 KB of them', async () => {
    const pages = Array.from({ length: 40 }, (_, at) => [`docs/${at}.md`, REPEATED + SHORT.repeat(at)])
    const files = Object.fromEntries(pages) as Record<string, string>
    const estimate = await readEstimate(files)
    expect(estimate).toMatch(
      /^--scheme dense-2: about \d+ % less in all, for large models \(estimated on \d+ pages\)$/,
    )
    expect(Number(/ on (\d+) /.exec(estimate!)![1])).toBeLessThan(17)
    expect(await readEstimate(Object.fromEntries(pages.toReversed()) as typeof files)).toBe(estimate)
  })

  it('skips what is larger, and is missing if every source is', async () => {
    const files = { 'docs/a.md': LARGE, 'docs/b.md': REPEATED, 'docs/c.md': SHORT }
    expect(await readEstimate(files)).toContain('estimated on 2 pages')
    expect(await readEstimate({ 'docs/a.md': LARGE })).toBeUndefined()
    expect(await readEstimate({ 'docs/a.md': SHORT })).toBeUndefined()
  })

  it('counts no source of another scheme, with or without a header, and no empty one', async () => {
    const files = {
      'docs/a.md': REPEATED,
      'docs/b.md': `---\ncompression: dense-2\n---\n${REPEATED}`,
      'docs/c.md': `---\ncompression: dense-2\n---\n${SHORT}`,
      'docs/d.md': `---\ncompression: none\n---\n${REPEATED}`,
      'docs/e.md': '---\ntitle: Empty\n---\n',
    }
    expect(await readEstimate(files)).toMatch(/ \(estimated on 1 page\)$/)
  })

  it('is left out where a source failed, and the failure comes first', async () => {
    const files = { 'docs/a.md': REPEATED, 'docs/f.md': `---\nbudget: 1\n---\n${REPEATED}` }
    const { status, stdout, stderr } = await build(makeFolder(files))
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^1 of 2 pages failed; 1 pack built, .*\n\nfailed page  errors\ndocs\/f\.md +1\n\n/,
    )
    expect(stdout + stderr).not.toMatch(/estimated|next:/)
  })

  it.each([
    ['under a denser scheme', ['--scheme', 'dense-2']],
    ['with no scheme', ['--scheme', 'none']],
    ['with --quiet', ['--quiet']],
    ['with --json', ['--json']],
  ])('is skipped %s', async (_, options) => {
    const { status, stdout } = await build(makeFolder({ 'docs/a.md': REPEATED }), ...options)
    expect(status).toBe(0)
    expect(stdout).not.toContain('estimated')
  })

  it('comes from the cache the second time, which counts only the packs', async () => {
    const cwd = makeFolder({
      'package.json': '{}',
      'node_modules/.keep': '',
      'docs/a.md': REPEATED,
      'docs/b.md': SHORT,
      'docs/c.md': `---\ncompression: dense-2\n---\n${SHORT}`,
    })
    const first = await build(cwd, '--verbose')
    expect(first.stderr).toContain(': 0 used\n')
    const entries = listEntries(cwd)
    const second = await build(cwd, '--verbose')
    expect(second.stderr).toContain(': 3 used\n')
    expect(second.stdout).toBe(first.stdout)
    expect(listEntries(cwd)).toEqual(entries)
    expect(second.stdout).toContain('estimated on 2 pages')
    writeFileSync(join(cwd, 'docs/b.md'), REPEATED)
    expect((await build(cwd, '--verbose')).stderr).toContain(': 2 used\n')
  })
})
