import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatEstimate } from '../../src/build-run/final-figures.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const REPEATED = 'Every velvet grey hat entry names a velvet grey hat.\n'.repeat(20)
/** Nothing repeats here, under any scheme. */
const SHORT = 'Blue ink dries on red paper.\n'

interface Estimate {
  readonly sources: number
  readonly of: number
  readonly net_savings_pct: Readonly<Record<'dense-1' | 'max-1', number>>
}

const build = (cwd: string, ...options: string[]): Promise<Printed> =>
  runInProcess(['build', 'docs', '--config', 'none', '--dry-run', ...options], { cwd })

async function readEstimate(cwd: string, ...options: string[]): Promise<Estimate | undefined> {
  const { stdout } = await build(cwd, '--json', '--no-cache', ...options)
  return (JSON.parse(stdout) as { estimate?: Estimate }).estimate
}

/** Lists the entries of the cache with their numbers, of which a file that is written again gets another one. */
function listEntries(cwd: string): unknown[] {
  const folder = join(cwd, 'node_modules/.cache/packs')
  return readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino])
}

/** Creates a project of ten sources, of which only those at the places given repeat themselves. */
function makeTen(...places: readonly number[]): string {
  const files = Array.from({ length: 10 }, (_, at) => [
    `docs/${at}.md`,
    places.includes(at) ? REPEATED : SHORT,
  ])
  return makeFolder(Object.fromEntries(files) as Record<string, string>)
}

describe('the estimate of denser schemes', () => {
  it('ends a build under glossary-1, and is in its JSON', async () => {
    const cwd = makeFolder({ 'docs/a.md': REPEATED })
    const { 'dense-1': dense, 'max-1': max } = (await readEstimate(cwd))!.net_savings_pct
    const last = (await build(cwd)).stdout.trimEnd().split('\n').at(-1)
    expect(last).toBe(
      `estimate from the source under glossary-1: --scheme dense-1 would save about ${Math.round(dense)} %, --scheme max-1 about ${Math.round(max)} %`,
    )
    for (const [scheme, net] of [
      ['dense-1', dense],
      ['max-1', max],
    ] as const) {
      const { stdout } = await build(cwd, '--json', '--scheme', scheme)
      const [pack] = (JSON.parse(stdout) as { packs: { net_savings_pct: number }[] }).packs
      expect(net).toBeCloseTo(pack!.net_savings_pct, 1)
    }
  })

  it('says how many of how many sources it is from', () => {
    const savings = { 'dense-1': 12.4, 'max-1': 17.1 }
    expect(formatEstimate({ sources: 5, of: 1240, savings })).toBe(
      'estimate from 5 of 1,240 sources under glossary-1: --scheme dense-1 would save about 12 %, --scheme max-1 about 17 %',
    )
  })

  it('draws sources by size, always the same ones, whatever their order', async () => {
    for (const at of [0, 4, 9]) {
      const cwd = makeTen(at)
      const estimate = await readEstimate(cwd)
      // Of ten sources, nine of 29 bytes are together a fifth of the one that repeats itself.
      expect(estimate).toMatchObject({ of: 10 })
      expect(estimate!.sources).toBeLessThan(4)
      const { stdout } = await build(cwd, '--json', '--no-cache', '--scheme', 'dense-1')
      const { packs } = JSON.parse(stdout) as { packs: Record<string, number>[] }
      const sum = (key: string): number => packs.reduce((all, pack) => all + pack[key]!, 0)
      const real = 100 * (1 - (sum('token_count') + sum('rosetta_tokens')) / sum('uncompressed_estimate'))
      expect(Math.abs(estimate!.net_savings_pct['dense-1'] - real)).toBeLessThan(12)
      expect(await readEstimate(cwd)).toEqual(estimate)
    }
  })

  it('omits a source that is too large, but not those after it', async () => {
    const cwd = makeFolder({ 'docs/a.md': SHORT.repeat(5000), 'docs/b.md': REPEATED, 'docs/c.md': SHORT })
    expect(await readEstimate(cwd)).toMatchObject({ sources: 2, of: 3 })
    const large = makeFolder({ 'docs/a.md': SHORT.repeat(5000) })
    expect(await readEstimate(large)).toBeUndefined()
  })

  it('counts no source of another scheme, with or without a header, no failed one, and no empty one', async () => {
    const cwd = makeFolder({
      'docs/a.md': REPEATED,
      'docs/b.md': `---\ncompression: dense-1\n---\n${REPEATED}`,
      'docs/c.md': `---\ncompression: dense-1\n---\n${SHORT}`,
      'docs/d.md': `---\ncompression: none\n---\n${REPEATED}`,
      'docs/e.md': '---\ntitle: Empty\n---\n',
      'docs/f.md': `---\nbudget: 1\n---\n${REPEATED}`,
      'docs/g.md': '---\ntitle: [\n---\n',
    })
    expect(await readEstimate(cwd)).toMatchObject({ sources: 1, of: 1 })
  })

  it.each([
    ['under another scheme', ['--scheme', 'dense-1']],
    ['with no scheme', ['--scheme', 'none']],
    ['with --quiet', ['--quiet']],
  ])('is skipped %s', async (_, options) => {
    const { status, stdout } = await build(makeFolder({ 'docs/a.md': REPEATED }), ...options)
    expect(status).toBe(0)
    expect(stdout).not.toContain('estimate')
  })

  it('comes from the cache the second time, which counts only the packs', async () => {
    const cwd = makeFolder({
      'package.json': '{}',
      'node_modules/.keep': '',
      'docs/a.md': REPEATED,
      'docs/b.md': SHORT,
      'docs/c.md': `---\ncompression: dense-1\n---\n${SHORT}`,
    })
    const first = await build(cwd, '--verbose')
    expect(first.stderr).toContain(': 0 used\n')
    const entries = listEntries(cwd)
    const second = await build(cwd, '--verbose')
    expect(second.stderr).toContain(': 3 used\n')
    expect(second.stdout).toBe(first.stdout)
    expect(listEntries(cwd)).toEqual(entries)
    expect(second.stdout).toContain('estimate from 2 of 2 sources')
    writeFileSync(join(cwd, 'docs/b.md'), REPEATED)
    expect((await build(cwd, '--verbose')).stderr).toContain(': 2 used\n')
  })
})
