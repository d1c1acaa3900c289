import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack, startPack } from '../../../test-kit/test/run-pack.ts'

const FRONT_MATTER = (fields: string): string =>
  `---\ntitle: A title\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n${fields}---\n`
const REPEATED = 'Every certificate transparency log entry names a certificate transparency log.\n'
const LOGS = `${FRONT_MATTER('slug: logs\n')}# Logs\n\n${REPEATED.repeat(40)}`

const REPORT_WORKER = `data:text/javascript,process.on('worker', () => process.stderr.write('started'))`

/** Sends SIGINT when the pack is about to be serialised, the last step of a build. Threads load it too. */
const INTERRUPT_ITSELF = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  const { stringify } = JSON
  JSON.stringify = (...args) => {
    if (args[2] === 2) {
      writeSync(2, 'interrupted')
      process.kill(process.pid, 'SIGINT')
    }
    return stringify(...args)
  }
`)}`

interface Message {
  readonly line: number | null
  readonly column: number | null
  readonly severity: string
  readonly rule: string
  readonly message: string
}

interface Built {
  readonly slug: string
  readonly source: string
  readonly net_savings_pct: number
  readonly messages: readonly Message[]
}

function packsOf(run: Printed): readonly Built[] {
  return (JSON.parse(run.stdout) as { packs: Built[] }).packs
}

function rulesOf(run: Printed): string[][] {
  return packsOf(run).map(({ messages }) => messages.map(({ rule }) => rule))
}

function errorsOf(run: Printed): string[] {
  return packsOf(run).flatMap(({ source, messages }) =>
    messages
      .filter(({ severity }) => severity === 'error')
      .map(({ line, column, rule }) => `${source}:${line}:${column} ${rule}`),
  )
}

describe('pack build', () => {
  it('writes a pack that decodes to the body, and describes it as JSON', async () => {
    const cwd = makeFolder({ 'notes.md': LOGS })
    const run = await runInProcess(['build', 'notes.md', '--json', '--scheme', 'dense-2'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    const pack = JSON.parse(readFileSync(join(cwd, 'dist/logs.pack.json'), 'utf8'))
    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      packs: [
        {
          slug: 'logs',
          file: 'dist/logs.pack.json',
          source: 'notes.md',
          status: 'written',
          version: '0.0.0',
          compression: 'dense-2',
          tokenizer: 'o200k_base',
          uncompressed_estimate: pack.uncompressed_estimate,
          token_count: pack.token_count,
          rosetta_tokens: pack.rosetta_tokens,
          savings_pct: pack.savings_pct,
          net_savings_pct: pack.net_savings_pct,
          entries: String(pack.rosetta).split('|').length,
          optimality: expect.closeTo(1, 2),
          round_trip: true,
          messages: [],
        },
      ],
    })
    const decoded = await runInProcess(['decode', 'dist/logs.pack.json'], { cwd })
    expect(decoded.stdout).toBe(LOGS.slice(FRONT_MATTER('slug: logs\n').length))
    expect(await runInProcess(['check', 'dist'], { cwd })).toMatchObject({ status: 0 })
  })

  it('prints the verdict first, what took part, and the packs that save most', async () => {
    const cwd = makeFolder({ 'a.md': LOGS, 'b.md': `${FRONT_MATTER('')}# Short\n` })
    const run = await runInProcess(['build', '.', '-o', 'out', '--scheme', 'dense-2'], { cwd })
    expect(run.status).toBe(0)
    const [verdict, parts, none, , heading, logs, more] = run.stdout.split('\n')
    expect(verdict).toMatch(
      /^2 pages, 446 → \d+ tokens: (\d+\.\d %) less\. 1 with terms: for large models\.$/,
    )
    expect(verdict).toContain(parts!.replace(/^terms /, ''))
    expect(none).toBe('dense-2 gains nothing on 1 of 2 pages; they have no terms.')
    expect(heading).toBe('pack  saved    less  paid/saved  source  paid  header')
    expect(logs).toMatch(/^logs +\d+ +\d+\.\d % {2}█{1,2}[▏▎▍▌▋▊▉]?░{7,8} +\d+ +\d+ +\d+$/)
    expect(more).toBe('… 1 more, --all')
    expect(run.stderr).toBe('wrote 2 packs to out\nnext: pack context "a question" out\n')
    const all = await runInProcess(['build', 'b.md', 'a.md', '-o', 'out', '--all'], { cwd })
    expect(all.stdout).toMatch(/^2 pages, 446 tokens: nothing saved\. There is nothing to omit\.\n\npack /)
    expect(all.stdout).toMatch(/^b +0 +0\.0 % +█{10} +3 +3$/m)
  })

  it('writes nothing in a dry run', async () => {
    const cwd = makeFolder({ 'notes.md': LOGS })
    const run = await runInProcess(['build', 'notes.md', '--dry-run', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: true,
      packs: [{ slug: 'logs', file: null, status: 'dry-run' }],
    })
    expect(readdirSync(cwd)).toEqual(['notes.md'])
  })

  it('fails packs over budget or with low savings, and writes neither', async () => {
    const cwd = makeFolder({
      'notes.md': LOGS,
      'b.md': `${FRONT_MATTER('slug: b\nbudget: 2\ncompression: none\n')}# Short enough\n`,
    })
    const configure = (config: object): void =>
      writeFileSync(join(cwd, 'packs.config.json'), JSON.stringify(config))
    configure({ budget: 20, minSavings: 99 })
    const run = await runInProcess(['build', 'notes.md', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(rulesOf(run)).toEqual([['over-budget', 'low_savings']])
    configure({})
    const own = await runInProcess(['build', 'b.md', '--json'], { cwd })
    expect(own.status).toBe(1)
    expect(rulesOf(own)).toEqual([['over-budget']])
    expect(readdirSync(cwd)).toEqual(['b.md', 'notes.md', 'packs.config.json'])
    const args = ['build', 'notes.md', '--dry-run', '--scheme', 'dense-2', '--json']
    const [{ net_savings_pct: saved }] = packsOf(await runInProcess(args, { cwd })) as [Built]
    configure({ minSavings: saved })
    expect(await runInProcess(args, { cwd })).toMatchObject({ status: 0 })
  })

  it('fails two sources with the same slug, with both positions, and builds the others', async () => {
    const cwd = makeFolder({
      'a.md': FRONT_MATTER('slug: same\n'),
      'same.md': FRONT_MATTER(''),
      'c.md': FRONT_MATTER('slug: other\n'),
    })
    const run = await runInProcess(['build', 'a.md', 'same.md', 'c.md', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(errorsOf(run)).toEqual(['a.md:6:7 duplicate_slug', 'same.md:null:null duplicate_slug'])
    expect(packsOf(run)[1]!.messages.at(-1)!.message).toContain('a.md:6:7')
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', 'other.pack.json'])
  })

  it('reports the position of each error, builds the sources without errors, and leaves no partial files', async () => {
    const cwd = makeFolder({
      'bytes.md': Buffer.from([0x23, 0x20, 0xff, 0x0a]),
      'yaml.md': '---\ntitle: [\n---\nText.\n',
      'value.md': `${FRONT_MATTER('slug: value\nbudget: many\n')}Text.\n`,
      'key.md': `${FRONT_MATTER('slug: key\ncompresion: none\n')}Text.\n`,
      'open.md': `${FRONT_MATTER('slug: open\n')}\n<!-- pack:verbatim -->\nkept\n`,
      'term.md': `${FRONT_MATTER('slug: term\nglossary:\n  - {expansion: certificate log, term: CTL}\n')}A CTL is a certificate log.\n`,
      'empty.md': '',
      'good.md': LOGS,
    })
    const run = await runInProcess(['build', '.', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(errorsOf(run).toSorted()).toEqual([
      'bytes.md:1:3 invalid-utf8',
      expect.stringMatching(/^open\.md:9:1 directive-unclosed$/),
      expect.stringMatching(/^term\.md:10:3 /),
      'value.md:7:9 invalid-value',
    ])
    expect(packsOf(run).find(({ slug }) => slug === 'key')!.messages).toMatchObject([
      { line: 7, column: 1, severity: 'warning', rule: 'unknown-key' },
    ])
    expect(readdirSync(join(cwd, 'dist'))).toEqual([
      '.packs.json',
      'key.pack.json',
      'logs.pack.json',
      'yaml.pack.json',
    ])
  })

  it('prints diagnostics as file:line:column, with hints, on stderr', async () => {
    const cwd = makeFolder({ 'a.md': FRONT_MATTER('slug: a\nbudget: many\n') })
    const run = await runInProcess(['build', 'a.md'], { cwd })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toMatch(
      /^a\.md:7:9 error budget .+ invalid-value\n {2}hint: .+\n1 error\n1 of 1 failed/,
    )
  })

  it.each([
    ['a folder without markdown', ['.'], 1, 'no_sources', 'no markdown in this folder (skipped 1 .txt)'],
    ['no input in a folder without markdown', [], 1, 'no_sources', 'no markdown in this folder'],
  ])('refuses %s', async (_, args, status, code, message) => {
    const cwd = makeFolder({ 'x.txt': '' })
    const run = await runInProcess(['build', ...args, '--json'], { cwd })
    expect(run.status).toBe(status)
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      error: { code, message: expect.stringContaining(message) },
    })
  })

  it('reports inputs that are missing, packs, or broken links, and builds the rest', async () => {
    const cwd = makeFolder({ 'a.md': LOGS, 'b.pack.json': '{}' })
    symlinkSync('absent', join(cwd, 'c.md'))
    const run = await runInProcess(
      ['build', 'a.md', 'absent.md', 'b.pack.json', 'c.md', 'q/*.md', '--json'],
      { cwd },
    )
    expect(run.status).toBe(1)
    expect(errorsOf(run)).toEqual([
      'absent.md:null:null file_not_found',
      'c.md:null:null broken_link',
      'q/*.md:null:null file_not_found',
      'b.pack.json:null:null not_a_source',
    ])
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', 'logs.pack.json'])
  })

  it('refuses a source over 16 MiB, from a file and from stdin', async () => {
    const large = Buffer.alloc(16 * 1024 * 1024 + 1, 'a\n')
    const cwd = makeFolder({ 'large.md': large, 'a.md': LOGS })
    const files = await runInProcess(['build', '.', '--json'], { cwd })
    expect(files.status).toBe(1)
    expect(errorsOf(files)).toEqual(['large.md:null:null file_too_large'])
    const stdin = await runPack(['build', '-', '--json'], { cwd, input: large })
    expect(errorsOf(stdin)).toEqual(['<stdin>:null:null file_too_large'])
  })

  it('writes the other packs when one cannot be written', async () => {
    const cwd = makeFolder({
      'a.md': `${FRONT_MATTER('slug: a\n')}A\n`,
      'b.md': `${FRONT_MATTER('slug: b\n')}B\n`,
    })
    mkdirSync(join(cwd, 'dist', 'a.pack.json'), { recursive: true })
    const run = await runInProcess(['build', '.', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(errorsOf(run)).toEqual(['a.md:null:null output_failed'])
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', 'a.pack.json', 'b.pack.json'])
  })

  it('gives the same results with and without workers, sorted by name', async () => {
    const filler = Array.from({ length: 4000 }, (_, at) => `Line ${at} of some text that is long.\n`).join('')
    const names = ['a', 'b', 'c']
    const files = Object.fromEntries(
      names.map((name, at) => [`${name}.md`, `${FRONT_MATTER(`slug: ${name}\n`)}${filler.slice(at * 1000)}`]),
    )
    const cwd = makeFolder({ ...files, 'f.md': Buffer.from([0xff]) })
    const run = await runInProcess(['build', '.', '--scheme', 'none', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(packsOf(run).map(({ source }) => source)).toEqual([...names, 'f'].map((name) => `${name}.md`))
    expect(errorsOf(run)).toEqual(['f.md:1:1 invalid-utf8'])
    for (const name of names) {
      const alone = await runPack(['build', '-', '-o', '-', '--scheme', 'none'], {
        input: files[`${name}.md`]!,
      })
      expect(readFileSync(join(cwd, 'dist', `${name}.pack.json`)).equals(alone.bytes)).toBe(true)
    }
  })

  it('exits with 130 on an interrupt during a build, and leaves no file', async () => {
    const cwd = makeFolder({ 'a.md': LOGS })
    const run = await runPack(['build', 'a.md'], { cwd, nodeArgs: ['--import', INTERRUPT_ITSELF] })
    expect(run).toMatchObject({ status: 130, stdout: '', stderr: 'interrupted' })
    expect(readdirSync(cwd)).toEqual(['a.md'])
  })

  it('exits with 130 on an interrupt while a worker builds, and leaves no file', async () => {
    const cwd = makeFolder({ 'a.md': `${FRONT_MATTER('slug: a\n')}${LOGS.repeat(2000)}` })
    const child = startPack(['build', 'a.md', '--scheme', 'dense-2'], {
      cwd,
      nodeArgs: ['--import', REPORT_WORKER],
    })
    child.stderr?.once('data', () => child.kill('SIGINT'))
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
    expect(readdirSync(cwd)).toEqual(['a.md'])
  })
})
