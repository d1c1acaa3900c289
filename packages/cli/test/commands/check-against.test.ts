import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import { buildPack, parseSource } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

type PackFile = Readonly<Record<'token_count' | 'rosetta_tokens' | 'uncompressed_estimate', number>>

/** A source in which no phrase repeats, so that each word adds tokens to its pack. */
function writeSource(slug: string, words: number): string {
  const text = Array.from({ length: words }, (_, at) => `word${at * 7919}`).join(' ')
  return `---\nslug: ${slug}\ntitle: ${slug}\ndomain: D\nsubdomain: S\ndifficulty: beginner\n---\n# ${slug}\n\n${text}\n`
}

/** Builds packs of so many words each, in this process to save time, and records them. */
async function recordPacks(sizes: Readonly<Record<string, number>>): Promise<string> {
  const sources = Object.entries(sizes).map(([slug, words]) => [`docs/${slug}.md`, writeSource(slug, words)])
  const cwd = makeFolder(Object.fromEntries(sources))
  await build(cwd)
  await record(cwd)
  return cwd
}

async function record(cwd: string): Promise<void> {
  const run = await runInProcess(['check', 'dist', '--json'], { cwd })
  expect(run).toMatchObject({ status: 0, stderr: '' })
  writeFileSync(join(cwd, 'packs.json'), run.stdout)
}

async function build(cwd: string): Promise<void> {
  rmSync(join(cwd, 'dist'), { recursive: true, force: true })
  mkdirSync(join(cwd, 'dist'))
  for (const name of readdirSync(join(cwd, 'docs'))) {
    const { source } = parseSource(readFileSync(join(cwd, 'docs', name)), { path: `docs/${name}` })
    const { pack } = await buildPack(source!)
    writeFileSync(join(cwd, 'dist', `${pack!.slug}.pack.json`), serializePack(pack!))
  }
}

async function rewrite(cwd: string, sizes: Readonly<Record<string, number | null>>): Promise<void> {
  for (const [slug, words] of Object.entries(sizes)) {
    const path = join(cwd, 'docs', `${slug}.md`)
    if (words === null) rmSync(path)
    else writeFileSync(path, writeSource(slug, words))
  }
  await build(cwd)
}

function compare(cwd: string, ...args: string[]): ReturnType<typeof runInProcess> {
  return runInProcess(['check', 'dist', '--against', 'packs.json', ...args], { cwd })
}

function readPack(cwd: string, slug: string): PackFile {
  return JSON.parse(readFileSync(join(cwd, 'dist', `${slug}.pack.json`), 'utf8')) as PackFile
}

function countPaid({ token_count: content, rosetta_tokens: header }: PackFile): number {
  return content + header
}

describe('pack check --json', () => {
  it('has a line for each pack, sorted by slug, and passes against itself', async () => {
    const cwd = await recordPacks({ beta: 60, alpha: 50 })
    const text = readFileSync(join(cwd, 'packs.json'), 'utf8')
    const figures = ({ token_count, rosetta_tokens, uncompressed_estimate }: PackFile): unknown => ({
      token_count,
      rosetta_tokens,
      uncompressed_estimate,
      tokenizer: 'o200k_base',
      ok: true,
      signers: [],
    })
    expect(JSON.parse(text)).toMatchObject({
      ok: true,
      packs: [
        { slug: 'alpha', file: 'dist/alpha.pack.json', ...(figures(readPack(cwd, 'alpha')) as object) },
        { slug: 'beta', file: 'dist/beta.pack.json', ...(figures(readPack(cwd, 'beta')) as object) },
      ],
    })
    expect(text.split('\n').filter((line) => line.includes('"slug"'))).toEqual([
      expect.stringMatching(/^ {4}\{"slug":"alpha",.*\}$/),
      expect.stringMatching(/^ {3},\{"slug":"beta",.*\}$/),
    ])
    expect(await compare(cwd)).toMatchObject({
      status: 0,
      stdout: '2 packs compared with packs.json: no change\n',
      stderr: '',
    })
  })

  it('merges the lines of two branches that add packs, also at the end', async () => {
    const cwd = await recordPacks({ delta: 30, mike: 30, victor: 30 })
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
        cwd,
        encoding: 'utf8',
      })
    const commit = async (added: readonly string[]): Promise<void> => {
      await rewrite(cwd, Object.fromEntries(added.map((slug) => [slug, 30])))
      await record(cwd)
      git('add', 'docs', 'packs.json')
      git('commit', '-qm', 'packs')
    }
    git('init', '-q', '-b', 'main')
    await commit([])
    git('checkout', '-qb', 'one')
    await commit(['echo', 'zulu'])
    expect(git('diff', '--numstat', 'main', '--', 'packs.json')).toBe('2\t0\tpacks.json\n')
    git('checkout', '-q', 'main')
    rmSync(join(cwd, 'docs'), { recursive: true })
    git('checkout', '-q', '.')
    await commit(['november'])
    git('merge', '-q', '-m', 'both', 'one')
    await build(cwd)
    expect((await compare(cwd)).stdout).toBe('6 packs compared with packs.json: no change\n')
  })
})

describe('pack check --against', () => {
  it('fails where a pack grew too much or went away, and lists new ones', async () => {
    const cwd = await recordPacks({ grown: 200, near: 200, gone: 40 })
    const before = countPaid(readPack(cwd, 'grown'))
    await rewrite(cwd, { grown: 240, near: 204, gone: null, added: 30 })
    // Only a build by the program records which source a pack comes from.
    expect(await runInProcess(['build', 'docs'], { cwd })).toMatchObject({ status: 0 })
    const after = countPaid(readPack(cwd, 'grown'))
    const run = await compare(cwd, '--summary', 'table.md')
    expect(run.status).toBe(1)
    const percent = ((100 * (after - before)) / before).toFixed(1)
    const cells = run.stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect(cells).toContainEqual(['grown', 'grown', `+${percent} %`, before, after].map(String))
    expect(run.stdout).toMatch(/^2 failed; 3 packs compared/)
    // What only one of them has is not in the total.
    expect(run.stdout).toMatch(/^2 in both +/m)
    expect(run.stdout).toMatch(/^added +new /m)
    expect(run.stdout).toMatch(/^gone +gone /m)
    expect(run.stdout).toMatch(/^near +ok /m)
    expect(run.stdout).toContain('1 grown too much, 1 gone, 1 new, 1 changed within the allowed growth')
    const lines = readFileSync(join(cwd, 'packs.json'), 'utf8').split('\n')
    const line = 1 + lines.findIndex((each) => each.includes('"slug":"gone"'))
    expect(run.stderr).toMatch(
      new RegExp(`packs\\.json:${line}:1 error gone is in packs\\.json, .* pack-gone\\n {2}hint: .*--json`),
    )
    expect(run.stderr).toContain(`docs/grown.md error grown grew from ${before} to ${after} tokens`)
    expect(run.stderr).not.toContain('added')
    const table = readFileSync(join(cwd, 'table.md'), 'utf8')
    expect(table).toContain('### Packs: 2 failed\n\n| pack | before |')
    expect(table).toMatch(/\n\| `grown` \| \d+ \| \d+ \| \+\d+ \| \+[\d.]+ % \| .* \| \*\*grown\*\* \|\n/)
    expect((await compare(cwd, '--summary', '-')).stdout).toBe(table)
    const json = await compare(cwd, '--json')
    expect(json).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      packs: [{ ok: true }, { ok: true }, { ok: true }],
      against: {
        file: 'packs.json',
        max_growth: 5,
        changes: [
          { slug: 'grown', status: 'grown', before, after, difference: after - before },
          { slug: 'gone', status: 'gone', file: null, after: null },
          { slug: 'added', status: 'new', before: null },
          { slug: 'near', status: 'changed' },
        ],
        unchanged: 0,
      },
    })
    // What is accepted is recorded, also from a document that has a comparison.
    writeFileSync(join(cwd, 'packs.json'), json.stdout)
    expect(await compare(cwd)).toMatchObject({ status: 0, stderr: '' })
  })

  it('allows the growth that is given, and ten tokens unless it is 0', async () => {
    const cwd = await recordPacks({ page: 100, short: 3 })
    const before = countPaid(readPack(cwd, 'short'))
    await rewrite(cwd, { page: 115, short: 5 })
    const growth = countPaid(readPack(cwd, 'short')) - before
    expect(growth).toBeGreaterThan(before * 0.05)
    expect(growth).toBeLessThanOrEqual(10)
    // The first source is unknown, so the message names the line of the earlier check.
    expect((await compare(cwd)).stderr).toMatch(
      /^packs\.json:4:1 error page grew .* pack-grown\n[^]*^1 error$/m,
    )
    expect(await compare(cwd, '--max-growth', '30%')).toMatchObject({ status: 0 })
    expect((await compare(cwd, '--max-growth', '0')).stderr).toMatch(/^2 errors$/m)
  })

  it('fails another tokenizer', async () => {
    const cwd = await recordPacks({ page: 50 })
    const text = readFileSync(join(cwd, 'packs.json'), 'utf8')
    writeFileSync(join(cwd, 'packs.json'), text.replace('o200k_base', 'cl100k_base'))
    expect(await compare(cwd)).toMatchObject({ status: 1, stderr: expect.stringContaining('pack-recounted') })
  })

  it('annotates a pack that grew before packs that are gone, whatever their size', async () => {
    const gone = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`gone-${at}`, 90 - at]))
    const cwd = await recordPacks({ ...gone, page: 40, other: 40 })
    const removed = Object.fromEntries(Object.keys(gone).map((slug) => [slug, null]))
    await rewrite(cwd, { ...removed, page: 50, other: 60 })
    const args = ['check', 'dist', '--against', 'packs.json']
    const { stderr } = await runInProcess(args, { cwd, env: { GITHUB_ACTIONS: 'true' } })
    const messages = stderr.split('\n').filter((line) => line.includes('pack-g'))
    const slugs = messages.map((line) => /(\S+) (?:grew|is) /.exec(line)![1]!.replace(/^.*::/, ''))
    expect(slugs).toEqual(['other', 'page', ...Object.keys(gone)])
    expect(messages.map((line) => line.startsWith('::error '))).toEqual(slugs.map((_, at) => at < 10))
  })

  it('does not call packs gone that fail their checks, and refuses their check as an earlier one', async () => {
    const cwd = await recordPacks({ one: 30, two: 30 })
    writeFileSync(join(cwd, 'dist/two.pack.json'), '{"format":"packs/1"}')
    const run = await compare(cwd, '--json')
    expect(run.status).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({ against: { changes: [], unchanged: 1 } })
    writeFileSync(join(cwd, 'packs.json'), run.stdout)
    expect((await compare(cwd)).stderr).toContain('it has no figures of dist/two.pack.json')
  })

  it('refuses two packs with one slug', async () => {
    const cwd = await recordPacks({ page: 30 })
    writeFileSync(join(cwd, 'dist/copy.pack.json'), readFileSync(join(cwd, 'dist/page.pack.json')))
    expect(await compare(cwd)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('dist/page.pack.json has the same slug as dist/copy.pack.json, page'),
    })
  })

  const pack = '{"slug":"a","tokenizer":"t","uncompressed_estimate":1,"token_count":1,"rosetta_tokens":0'
  it.each([
    [
      'text that is not JSON',
      '{\n  "packs": nonsense',
      'packs.json:2:1 error not valid JSON: unexpected "n"',
    ],
    ['conflict markers', '{\r\n<<<<<<< ours\r\n', 'packs.json:2:1 error it contains git conflict markers'],
    ['a list', '[]', 'packs.json error it has no list "packs"'],
    ['null', 'null', 'packs.json error it has no list "packs"'],
    ['no figures', '{"packs":[7]}', 'packs.json error it has no figures of pack 1'],
    ['a missing figure', `{"packs":[${pack}}]}`, 'packs.json error it has no figures of pack 1'],
    [
      'a slug with markup',
      `{"packs":[${pack.replace('"a"', '"<b>"')},"net_savings_pct":0}]}`,
      'packs.json error it has no figures of pack 1',
    ],
    [
      'a slug twice',
      `{"packs":[\n${pack},"net_savings_pct":0}\n,${pack},"net_savings_pct":0}]}`,
      'packs.json:3:1 error a is in it twice',
    ],
    ['a deep list', `{"packs":${'['.repeat(100_000)}`, 'error not valid JSON'],
  ])('names the place of %s', async (_, text, message) => {
    const cwd = makeFolder({ 'packs.json': text, 'dist/a.pack.json': '{}' })
    const run = await compare(cwd)
    expect(run).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(JSON.parse((await compare(cwd, '--json')).stdout)).toMatchObject({
      error: { code: 'invalid_check', file: 'packs.json', faults: [{ message: expect.any(String) }] },
    })
  })
})
