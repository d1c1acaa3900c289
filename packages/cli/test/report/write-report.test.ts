import { linkSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import type { WrittenResult } from '../../src/output/build-result.ts'
import { renderReport } from '../../src/report/write-report.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const FRONT_MATTER = (fields: string): string =>
  `---\ntitle: A title\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n${fields}---\n`
const LINE = 'Every certificate transparency log entry names a certificate transparency log.\n'
const BODY = `# Logs\n\n${LINE.repeat(40)}`
const LOGS = `${FRONT_MATTER('slug: logs\n')}${BODY}`
const SHORT = `${FRONT_MATTER('slug: short\ncompression: none\n')}One line.\n`

interface Described {
  readonly ok: boolean
  readonly packs: readonly { status: string }[]
  readonly report?: { file: string; status: string }
}

function read(folder: string, name = 'build.html'): string {
  return readFileSync(join(folder, name), 'utf8')
}

describe('pack build --report', () => {
  it('writes one page with the figures and the text of the pack', async () => {
    const cwd = makeFolder({ 'logs.md': LOGS })
    const args = ['build', 'logs.md', '--scheme', 'dense-2', '--report']
    const run = await runInProcess([...args, 'out/build.html'], { cwd })
    expect(run).toMatchObject({ status: 0 })
    expect(run.stderr).toContain(`wrote ${join('out', 'build.html')}\n`)
    const pack = JSON.parse(read(cwd, 'dist/logs.pack.json')) as { content: string; rosetta: string }
    const page = read(cwd, 'out/build.html')
    const counts = [BODY, pack.content, pack.rosetta].map((text) => `<td class="n">${countTokens(text)}</td>`)
    expect(page).toContain(counts.join(''))
    expect(page).toContain('Each was restored to its source, byte for byte.')
    const places = [...page.matchAll(/<a class="m e\d+"/g)]
    expect(places.length).toBeGreaterThanOrEqual(40)
    expect(page).toContain('<title>Build of logs</title>')
    expect(readdirSync(join(cwd, 'out'))).toEqual(['build.html'])
  })

  it('appears in the JSON, is written in a dry run, and is not rewritten if nothing has changed', async () => {
    const cwd = makeFolder({ 'logs.md': LOGS, 'short.md': SHORT })
    const buildReport = async (): Promise<Described> => {
      const run = await runInProcess(['build', '.', '--dry-run', '--json', '--report', 'build.html'], { cwd })
      expect(run).toMatchObject({ status: 0, stderr: '' })
      return JSON.parse(run.stdout) as Described
    }
    const first = await buildReport()
    expect(first.report).toEqual({ file: 'build.html', status: 'written' })
    expect(first.packs.map(({ status }) => status)).toEqual(['dry-run', 'dry-run'])
    expect(readdirSync(cwd).toSorted()).toEqual(['build.html', 'logs.md', 'short.md'])
    expect((await buildReport()).report?.status).toBe('unchanged')
    const page = read(cwd)
    expect(page).toContain('<a href="#p0">logs</a>')
    expect(page).toContain('<a href="#p1">short</a>')
    expect(page).toContain('What a model reads: the source as it is.')
    expect(page).toContain('<th scope="row">2 packs</th>')
  })

  it('shows the address of each number of a link', async () => {
    const links = Array.from(
      { length: 9 },
      (_, at) => `[Page ${at}](https://logs.example/a/long/way?to=${at})`,
    )
    const cwd = makeFolder({ 'links.md': `${FRONT_MATTER('slug: links\n')}${links.join(', ')}.\n` })
    const run = await runInProcess(['build', 'links.md', '--report', 'build.html'], { cwd })
    expect(run).toMatchObject({ status: 0 })
    const page = read(cwd)
    const address = 'https://logs.example/a/long/way?to=8'
    expect(page).toContain(
      `[Page 8](<del>${address}</del><a class="m e8" href="#p0k8" title="${address}"><bdi>9</bdi></a>)`,
    )
    expect(page).toContain(
      `<p class="o e8" id="p0k8"><span class="te">(9) = <bdi>${address}</bdi></span><span>address</span></p>`,
    )
    expect(page).toContain('Point at or tap the number of a link')
  })

  it('shows packs that were not written with the reason, and lists sources that could not be built', async () => {
    const config = '{"minSavings":99}'
    const cwd = makeFolder({
      'a.md': LOGS,
      'b.md': '---\nslug: x\nslug: y\n---\ntext',
      'packs.config.json': config,
    })
    const run = await runInProcess(['build', '.', '--report', 'build.html'], { cwd })
    expect(run).toMatchObject({ status: 1 })
    const page = read(cwd)
    expect(page).toMatch(/<a href="#p0">logs<\/a> <b class="error">not written<\/b>/)
    expect(page).toContain('low_savings')
    expect(page).toMatch(/<h2 id="failed">Not built<\/h2>\s*<h3><bdi>b\.md<\/bdi><\/h3>/)
    expect(page).toContain('<p class="verdict error">2 pages failed; no pack was written.</p>')
  })

  it('is written while the pack goes to stdout', async () => {
    const cwd = makeFolder()
    const args = ['build', '-', '-o', '-', '--report', 'build.html']
    const run = await runPack(args, { cwd, input: LOGS })
    expect(run).toMatchObject({ status: 0 })
    expect((JSON.parse(run.stdout) as { slug: string }).slug).toBe('logs')
    expect(read(cwd)).toContain('&lt;stdin&gt;')
  })

  it('never overwrites a source, under any name or link', async () => {
    const cwd = makeFolder({ 'notes.html': LOGS })
    symlinkSync('notes.html', join(cwd, 'soft.html'))
    linkSync(join(cwd, 'notes.html'), join(cwd, 'hard.html'))
    for (const name of ['notes.html', './notes.html', 'soft.html', 'hard.html']) {
      const run = await runInProcess(['build', 'notes.html', '--json', '--report', name], { cwd })
      expect(run).toMatchObject({ status: 4 })
      expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'file_exists' } })
    }
    expect(read(cwd, 'notes.html')).toBe(LOGS)
    expect(readdirSync(cwd).toSorted()).toEqual(['hard.html', 'notes.html', 'soft.html'])
  })
})

describe('renderReport', () => {
  it('shows an expansion as written and fully resolved', () => {
    const page = renderReport([build('see ¢\n', '[DECODE] ¢=one § log|§=transparency', 2)]).replaceAll(
      /<\/?bdi>/g,
      '',
    )
    expect(page).toContain('[DECODE] <a class="k e0" href="#p0k0"><b>¢</b>=one § log</a>|')
    expect(page).toContain('see <a class="m e0" href="#p0k0" tabindex="-1">¢</a>')
    expect(page).toContain(
      '<p class="o e0" id="p0k0"><span class="te"><b>¢</b> = one transparency log</span>',
    )
  })

  it('shows the text without marks if it has too many terms', () => {
    const terms = Array.from({ length: 1501 }, (_, at) => `t${at}=one log`)
    const page = renderReport([build('a t1', `[DECODE] ${terms.join('|')}`, terms.length)])
    expect(page).toContain('Its terms cannot be marked here.')
  })

  it('limits the size of the page and says so', () => {
    const page = renderReport([build('<\u202E\n'.repeat(100_000))])
    expect(page.match(/<\//g)!.length).toBeLessThan(82_000)
    expect(page).toContain('This is only its beginning')
    expect(page).toContain('<td class="n">123</td>')
  })

  /** Creates a build result with invented figures. */
  function build(content: string, rosetta = '[DECODE]', entries = 0): WrittenResult {
    const figures = {
      slug: 'made',
      version: '1.0.0',
      compression: 'minify-1' as const,
      tokenizer: 'o200k_base' as const,
      uncompressed_estimate: 123,
      token_count: 100,
      rosetta_tokens: 2,
      savings_pct: 18.7,
      net_savings_pct: 17.07,
    }
    return {
      path: '/made.md',
      shown: 'made.md',
      file: null,
      status: 'dry-run',
      slugPosition: null,
      messages: [],
      pack: { ...figures, entries, optimality: 1 },
      text: JSON.stringify({ ...figures, title: 'Made', domain: 'A', subdomain: 'B', content, rosetta }),
    }
  }
})
