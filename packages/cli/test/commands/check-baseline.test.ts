import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPack } from '@packs/codec/build'
import { serializePack } from '@packs/codec/pack'
import { parseSource } from '@packs/codec/source'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../run-in-process.ts'
import { makeFolder } from '../run-pack.ts'

interface PackFile {
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
  readonly net_savings_pct: number
  readonly pack_digest: string
}

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
  const run = await runInProcess(['check', 'dist', '--baseline', '--update'], { cwd })
  expect(run).toMatchObject({ status: 0, stderr: 'wrote packs.baseline.json\n' })
  return cwd
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

function readPack(cwd: string, slug: string): PackFile {
  return JSON.parse(readFileSync(join(cwd, 'dist', `${slug}.pack.json`), 'utf8')) as PackFile
}

function countPaid({ token_count: content, rosetta_tokens: header }: PackFile): number {
  return content + header
}

describe('pack check --baseline', () => {
  it('records each pack on a line of its own, sorted by slug, and then passes', async () => {
    const cwd = await recordPacks({ beta: 60, alpha: 50 })
    const text = readFileSync(join(cwd, 'packs.baseline.json'), 'utf8')
    const [alpha, beta] = [readPack(cwd, 'alpha'), readPack(cwd, 'beta')]
    expect(text.split('\n').filter((line) => line.includes('"slug"'))).toEqual([
      expect.stringContaining('"slug": "alpha"'),
      expect.stringContaining('"slug": "beta"'),
    ])
    const figures = (slug: string, pack: PackFile): unknown => ({
      slug,
      source: pack.uncompressed_estimate,
      content: pack.token_count,
      header: pack.rosetta_tokens,
      net_savings_pct: pack.net_savings_pct,
      tokenizer: 'o200k_base',
      scheme: expect.any(String),
      digest: pack.pack_digest,
    })
    expect(JSON.parse(text)).toEqual({
      format: 'packs-baseline/1',
      packs: [figures('alpha', alpha), figures('beta', beta)],
    })
    const run = await runInProcess(['check', 'dist', '--baseline'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toBe('2 packs compared with packs.baseline.json: no change\n')
    const again = await runInProcess(['check', '--update'], { cwd })
    expect(again).toMatchObject({ status: 0, stderr: 'packs.baseline.json is unchanged\n' })
  })

  it('fails where a pack grew by more than the tolerance, was added or went away, and passes after --update', async () => {
    const cwd = await recordPacks({ grown: 200, near: 200, gone: 40 })
    const before = countPaid(readPack(cwd, 'grown'))
    await rewrite(cwd, { grown: 240, near: 204, gone: null, added: 30 })
    // Only a build by the program records which source a pack comes from.
    expect(await runInProcess(['build', 'docs'], { cwd })).toMatchObject({ status: 0 })
    const after = countPaid(readPack(cwd, 'grown'))
    const run = await runInProcess(['check', '--baseline'], { cwd })
    expect(run.status).toBe(1)
    const percent = ((100 * (after - before)) / before).toFixed(1)
    const cells = run.stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect(cells).toContainEqual(
      ['grown', before, after, `+${after - before}`, `+${percent} %`, '0.00 %', 'grown'].map(String),
    )
    expect(run.stdout).toMatch(/^added .* new$/m)
    expect(run.stdout).toMatch(/^gone .* gone$/m)
    expect(run.stdout).toMatch(/^near .* ok$/m)
    expect(run.stdout).toContain('1 grown above the tolerance, 1 new, 1 gone, 1 changed within the tolerance')
    const lines = readFileSync(join(cwd, 'packs.baseline.json'), 'utf8').split('\n')
    const line = 1 + lines.findIndex((each) => each.includes('"slug": "gone"'))
    expect(run.stderr).toContain(`packs.baseline.json:${line}:1 error gone is in packs.baseline.json`)
    expect(run.stderr).toContain('docs/added.md error added is not in packs.baseline.json')
    expect(run.stderr).toContain(`docs/grown.md error grown grew from ${before} to ${after} tokens`)
    expect(run.stderr).toMatch(
      /gone is in packs\.baseline\.json, but the pack no longer exists baseline-gone\n {2}hint: .*--update/,
    )
    expect(run.stderr).toMatch(/added is not in packs\.baseline\.json: \d+ tokens baseline-new/)

    const update = await runInProcess(['check', '--baseline', '--update'], { cwd })
    expect(update).toMatchObject({ status: 0, stderr: 'wrote packs.baseline.json\n' })
    expect(update.stdout).toContain('1 grown above the tolerance')
    expect(await runInProcess(['check', '--baseline'], { cwd })).toMatchObject({ status: 0, stderr: '' })
  })

  it('names the line of the baseline where no build recorded the source', async () => {
    const cwd = await recordPacks({ other: 20, page: 100 })
    await rewrite(cwd, { page: 130 })
    const run = await runInProcess(['check', '--baseline'], { cwd })
    expect(run).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^packs\.baseline\.json:5:1 error page grew/),
    })
  })

  it('lists new packs and lets them pass with --allow-new, but not others', async () => {
    const cwd = await recordPacks({ page: 100, gone: 40 })
    await rewrite(cwd, { added: 30 })
    const check = (...args: string[]): ReturnType<typeof runInProcess> =>
      runInProcess(['check', '--baseline', ...args], { cwd })
    expect(await check()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/baseline-new\n {2}hint: .* --allow-new /),
    })
    const run = await check('--allow-new', '--summary', 'table.md')
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toMatch(/^added .* new$/m)
    expect(run.stdout).toContain('packs.baseline.json: 1 new\n')
    const table = readFileSync(join(cwd, 'table.md'), 'utf8')
    expect(table).toMatch(/^### Packs: within the baseline\n[^]*\n\| `added` .* \| new \|\n/)
    await rewrite(cwd, { page: 150, gone: null })
    const failed = await check('--allow-new')
    expect(failed.status).toBe(1)
    const rules = [...failed.stderr.matchAll(/ baseline-(\w+)$/gm)].map(([, rule]) => rule)
    expect(rules).toEqual(['grown', 'gone'])
    const usage = await runInProcess(['check', 'dist', '--allow-new'], { cwd })
    expect(usage).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--allow-new needs a comparison'),
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
      expect(await runInProcess(['check', '--update'], { cwd })).toMatchObject({ status: 0 })
      git('add', 'docs', 'packs.baseline.json')
      git('commit', '-qm', 'packs')
    }
    git('init', '-q', '-b', 'main')
    await commit([])
    git('checkout', '-qb', 'one')
    await commit(['echo', 'zulu'])
    expect(git('diff', '--numstat', 'main', '--', 'packs.baseline.json')).toBe('2\t0\tpacks.baseline.json\n')
    git('checkout', '-q', 'main')
    rmSync(join(cwd, 'docs'), { recursive: true })
    git('checkout', '-q', '.')
    await commit(['november'])
    git('merge', '-q', '-m', 'both', 'one')
    await build(cwd)
    expect(await runInProcess(['check', '--baseline'], { cwd })).toMatchObject({
      status: 0,
      stdout: '6 packs compared with packs.baseline.json: no change\n',
    })
    expect(await runInProcess(['check', '--update'], { cwd })).toMatchObject({
      stderr: 'packs.baseline.json is unchanged\n',
    })
  })

  it('takes tolerance and file of the configuration, and --tolerance before them', async () => {
    const cwd = await recordPacks({ page: 100 })
    await rewrite(cwd, { page: 115 })
    expect(await runInProcess(['check', '--baseline'], { cwd })).toMatchObject({ status: 1 })
    const config = { baseline: { file: 'packs.baseline.json', tolerance: 30 } }
    writeFileSync(join(cwd, 'packs.config.json'), JSON.stringify(config))
    expect(await runInProcess(['check', '--baseline'], { cwd })).toMatchObject({ status: 0 })
    expect(await runInProcess(['check', '--baseline', '--tolerance', '2'], { cwd })).toMatchObject({
      status: 1,
    })
    writeFileSync(join(cwd, 'packs.config.json'), JSON.stringify({ baseline: { file: 'other.json' } }))
    const run = await runInProcess(['check', '--baseline'], { cwd })
    expect(run.stderr).toContain('other.json does not exist')
    expect(run.stderr).toContain('--update to create it')
  })

  it('lets a short pack grow by ten tokens, unless the tolerance is 0', async () => {
    const cwd = await recordPacks({ short: 3 })
    const before = countPaid(readPack(cwd, 'short'))
    await rewrite(cwd, { short: 5 })
    const growth = countPaid(readPack(cwd, 'short')) - before
    expect(growth).toBeGreaterThan(before * 0.05)
    expect(growth).toBeLessThanOrEqual(10)
    expect(await runInProcess(['check', '--baseline'], { cwd })).toMatchObject({ status: 0 })
    expect(await runInProcess(['check', '--baseline', '--tolerance', '0'], { cwd })).toMatchObject({
      status: 1,
    })
  })

  it('passes another digest with the same tokens, and fails another tokenizer', async () => {
    const cwd = await recordPacks({ page: 50 })
    const path = join(cwd, 'packs.baseline.json')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/"digest": "\w+"/, `"digest": "${'0'.repeat(64)}"`))
    const rebuilt = await runInProcess(['check', '--baseline'], { cwd })
    expect(rebuilt).toMatchObject({ status: 0, stderr: '' })
    expect(rebuilt.stdout).toContain('1 built differently with the same tokens')
    writeFileSync(path, text.replace('o200k_base', 'cl100k_base'))
    const recounted = await runInProcess(['check', '--baseline'], { cwd })
    expect(recounted).toMatchObject({ status: 1, stderr: expect.stringContaining('baseline-recounted') })
  })

  it('prints JSON, markdown and annotations', async () => {
    const cwd = await recordPacks({ page: 100, same: 20 })
    const before = readPack(cwd, 'page')
    await rewrite(cwd, { page: 150 })
    const after = readPack(cwd, 'page')
    const json = await runInProcess(['check', '--baseline', '--json'], { cwd })
    expect(json).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      packs: [{ ok: true }, { ok: true }],
      baseline: {
        file: 'packs.baseline.json',
        tolerance: 5,
        update: null,
        changes: [
          {
            slug: 'page',
            status: 'grown',
            before: { content: before.token_count, digest: before.pack_digest },
            after: { content: after.token_count, digest: after.pack_digest },
            difference: countPaid(after) - countPaid(before),
          },
        ],
        unchanged: 1,
        totals: { before: { packs: 2 }, after: { packs: 2 } },
      },
    })
    const summary = await runInProcess(['check', '--baseline', '--summary', 'table.md'], { cwd })
    expect(summary.status).toBe(1)
    const table = readFileSync(join(cwd, 'table.md'), 'utf8')
    expect(table).toContain('### Packs: 1 outside the baseline\n\n| pack | before |')
    expect(table).toMatch(/\n\| `page` \| \d+ \| \d+ \| \+\d+ \| \+[\d.]+ % \| .* \| \*\*grown\*\* \|\n/)
    const inline = await runInProcess(['check', '--baseline', '--summary', '-'], { cwd })
    expect(inline.stdout).toBe(table)
  })

  it('annotates a pack that grew before packs that are new or gone, whatever their size', async () => {
    const gone = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`gone-${at}`, 90 - at]))
    const cwd = await recordPacks({ ...gone, page: 40, other: 40 })
    const removed = Object.fromEntries(Object.keys(gone).map((slug) => [slug, null]))
    await rewrite(cwd, { ...removed, page: 50, other: 60, small: 80, large: 100 })
    expect(await runInProcess(['build', 'docs'], { cwd })).toMatchObject({ status: 0 })
    const { stderr } = await runInProcess(['check', '--baseline', '--format', 'github'], { cwd })
    const messages = stderr.split('\n').filter((line) => line.includes('baseline-'))
    const slugs = messages.map((line) => /(\S+) (?:grew|is) /.exec(line)![1]!.replace(/^.*::/, ''))
    expect(slugs).toEqual(['other', 'page', 'large', 'small', ...Object.keys(gone)])
    expect(messages.map((line) => line.startsWith('::error '))).toEqual(slugs.map((_, at) => at < 10))
  })

  it('does not write a baseline of packs that fail their checks, and does not call them gone', async () => {
    const cwd = await recordPacks({ one: 30, two: 30 })
    const text = readFileSync(join(cwd, 'packs.baseline.json'), 'utf8')
    writeFileSync(join(cwd, 'dist/two.pack.json'), '{"format":"packs/1"}')
    const run = await runInProcess(['check', '--baseline', '--update'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stdout).toContain('failed dist/two.pack.json')
    expect(run.stdout).toContain('no change')
    expect(run.stderr).toContain('packs.baseline.json was not written, because a pack failed its checks')
    expect(readFileSync(join(cwd, 'packs.baseline.json'), 'utf8')).toBe(text)
  })

  it('refuses two packs with one slug', async () => {
    const cwd = await recordPacks({ page: 30 })
    writeFileSync(join(cwd, 'dist/copy.pack.json'), readFileSync(join(cwd, 'dist/page.pack.json')))
    const run = await runInProcess(['check', '--baseline', '--update'], { cwd })
    expect(run).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('have the same slug, page'),
    })
  })

  it.each([
    [
      'text that is not JSON',
      '{\n  "format": nonsense',
      'packs.baseline.json:2:13 error not valid JSON: unexpected "n"',
    ],
    ['an end that is missing', '{\n', ':2:1 error not valid JSON: it ends too early'],
    [
      'conflict markers',
      '{\n<<<<<<< ours\n',
      'packs.baseline.json:2:1 error it contains git conflict markers',
    ],
    ['conflict markers of Windows', '{\r\n=======\r\n', ':2:1 error it contains git conflict markers'],
    ['a list', '[]', 'packs.baseline.json:1:1 error it is not a baseline'],
    ['a pack', '{"format":"packs/1"}', 'packs.baseline.json:1:11 error it is not a baseline'],
    [
      'a later version',
      '{"format":"packs-baseline/2","packs":[]}',
      'error it has the format packs-baseline/2',
    ],
    ['no list', '{"format":"packs-baseline/1"}', 'error "packs" must be a list'],
    [
      'a pack that is no object',
      '{"format":"packs-baseline/1","packs":[7]}',
      ':1:39 error a pack must be an object',
    ],
    [
      'a missing field',
      '{"format":"packs-baseline/1","packs":[\n  {"slug":"a"}]}',
      ':2:3 error "source", "content", "header", "net_savings_pct", "tokenizer", "scheme", "digest" are missing',
    ],
    [
      'a wrong number',
      '{"format":"packs-baseline/1","packs":[\n{"source":-1}]}',
      ':2:11 error "source" must be a number of tokens',
    ],
    [
      'a slug with markup',
      '{"format":"packs-baseline/1","packs":[{"slug":"<b>"}]}',
      ':1:47 error "slug" must be a slug',
    ],
    ['a deep list', `{"format":"packs-baseline/1","packs":${'['.repeat(100_000)}`, 'error not valid JSON'],
  ])('names the place of %s, and does not replace it', async (_, text, message) => {
    const cwd = makeFolder({ 'packs.baseline.json': text, 'dist/a.pack.json': '{}' })
    const run = await runInProcess(['check', '--baseline', '--update'], { cwd })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain(message)
    expect(run.stderr).toContain('packs.baseline.json has ')
    expect(readFileSync(join(cwd, 'packs.baseline.json'), 'utf8')).toBe(text)
    const json = await runInProcess(['check', '--baseline', '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_baseline',
        file: 'packs.baseline.json',
        faults: expect.arrayContaining([expect.objectContaining({ line: expect.any(Number) })]),
      },
    })
  })

  it('refuses a folder, a large file and, for --update, a link', async () => {
    const cwd = makeFolder({ 'dist/a.pack.json': '{}', 'large.json': Buffer.alloc(8 * 1024 * 1024 + 1, 32) })
    const folder = await runInProcess(['check', '--baseline', 'dist'], { cwd })
    expect(folder).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--baseline packs.baseline.json dist'),
    })
    const large = await runInProcess(['check', 'dist', '--baseline', 'large.json'], { cwd })
    expect(large).toMatchObject({ status: 1, stderr: expect.stringContaining('larger than 8 MiB') })
    symlinkSync('elsewhere.json', join(cwd, 'link.json'))
    const link = await runInProcess(['check', 'dist', '--baseline', 'link.json', '--update'], { cwd })
    expect(link).toMatchObject({ status: 4, stderr: expect.stringContaining('link.json is a symbolic link') })
    expect(readdirSync(cwd).toSorted()).toEqual(['dist', 'large.json', 'link.json'])
  })

  it('leaves nothing half-written where it cannot write', async () => {
    const cwd = await recordPacks({ page: 20 })
    const run = await runInProcess(['check', '--baseline', 'absent/base.json', '--update'], { cwd })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('cannot write absent/base.json: its folder does not exist')
    expect(readdirSync(cwd).toSorted()).toEqual(['dist', 'docs', 'packs.baseline.json'])
  })

  it.each([
    [['--tolerance', '3'], '--tolerance needs a comparison'],
    [['--summary', 'a.md'], '--summary needs a comparison'],
    [['--baseline', '--tolerance', '-1'], "option '--tolerance <percent>' argument '-1' is invalid"],
    [['--baseline', '--tolerance', '1001'], 'Give a percentage from 0 to 1000.'],
    [['--baseline', '--summary', '-', '--json'], 'both write to stdout'],
    [['--baseline', ''], '--baseline is empty'],
  ])('refuses the options %j', async (options, message) => {
    const run = await runInProcess(['check', 'dist', ...options], { cwd: makeFolder() })
    expect(run.status).toBe(2)
    expect(run.stdout + run.stderr).toContain(message)
  })

  it('says what to do where there is no output folder', async () => {
    const run = await runInProcess(['check'], { cwd: makeFolder() })
    expect(run).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('build some packs with `pack build`'),
    })
  })
})
