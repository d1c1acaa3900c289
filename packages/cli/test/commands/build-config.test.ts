import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

interface PackFile {
  readonly title: string
  readonly domain: string
  readonly difficulty: string
  readonly compression: string
  readonly rosetta: string
}

function readPack(folder: string, slug: string): PackFile {
  return JSON.parse(readFileSync(join(folder, `${slug}.pack.json`), 'utf8')) as PackFile
}

const FIRST = ['Red', 'Old', 'Large', 'Public', 'Quiet', 'New', 'Remote']
const LAST = [
  'grows',
  'ends',
  'is read',
  'was full',
  'may fail',
  'helps',
  'moves',
  'waits',
  'stops',
  'lies',
  'runs',
]
/** Two phrases in surroundings that differ, so that no longer phrase repeats. */
const TEXT = `# Logs\n\n${Array.from({ length: 77 }, (_, at) => `${FIRST[at % 7]} volatile xenon log ${LAST[at % 11]} and is slow again.\n`).join('')}`
const CONFIG = {
  sources: ['docs', 'extra/*.txt'],
  out: 'packs',
  domain: { docs: 'Docs', 'docs/api/**': 'API', 'docs/api/old.md': 'Archive' },
  difficulty: 'expert',
  scheme: 'dense-2',
  ignore: ['drafts', '*.tmp.md'],
  extensions: ['.rst'],
  frontMatter: { map: { title: 'name', weight: false } },
  glossary: [{ expansion: 'volatile xenon', never: true }],
}
const SITE = {
  '.git/HEAD': '',
  'packs.config.json': JSON.stringify(CONFIG),
  'docs/index.md': TEXT,
  'docs/api/new.md': `---\nname: New names\nweight: 3\n---\n${TEXT}`,
  'docs/api/old.md': `---\ndifficulty: beginner\ncompression: none\n---\n${TEXT}`,
  'docs/notes.rst': TEXT,
  'docs/drafts/a.md': TEXT,
  'docs/b.tmp.md': TEXT,
  'extra/more.txt': TEXT,
}

describe('pack build with a configuration', () => {
  it('uses its sources, folder and values, from every folder below', async () => {
    const top = makeFolder(SITE)
    const run = await runInProcess(['build'], { cwd: join(top, 'docs/api') })
    expect(run.status).toBe(0)
    expect(run.stderr).toContain('skipped 1 ignored file, 1 ignored folder')
    const out = join(top, 'packs')
    expect(readdirSync(out)).toEqual([
      '.packs.json',
      ...['api-new', 'api-old', 'docs', 'more', 'notes'].map((slug) => `${slug}.pack.json`),
    ])
    expect(readPack(out, 'docs')).toMatchObject({
      domain: 'Docs',
      difficulty: 'expert',
      compression: 'dense-2',
    })
    expect(readPack(out, 'docs').rosetta).not.toContain('volatile xenon')
    expect(readPack(out, 'api-new')).toMatchObject({ domain: 'API', title: 'New names' })
    expect(readPack(out, 'api-old')).toMatchObject({ domain: 'Archive' })
    expect(readPack(out, 'more')).toMatchObject({ domain: 'General', difficulty: 'expert' })
  })

  it('is overridden by front matter, and both by the command line', async () => {
    const cwd = makeFolder(SITE)
    await runInProcess(['build', 'docs/api/old.md', 'docs/index.md', '-o', 'a'], { cwd })
    expect(readPack(join(cwd, 'a'), 'old')).toMatchObject({ difficulty: 'beginner', compression: 'none' })
    expect(readPack(join(cwd, 'a'), 'docs').compression).toBe('dense-2')
    const options = ['-o', 'b', '--scheme', 'max-2', '--tokenizer', 'cl100k_base']
    await runInProcess(['build', 'docs/api/old.md', 'docs/index.md', ...options], { cwd })
    const chosen = { compression: 'max-2', tokenizer: 'cl100k_base' }
    for (const slug of ['old', 'docs']) expect(readPack(join(cwd, 'b'), slug)).toMatchObject(chosen)
  })

  it('is replaced with --config and ignored with --config none', async () => {
    const cwd = makeFolder({ ...SITE, 'ci.json': '{"domain":"Other","minSavings":99}' })
    const low = await runInProcess(['build', 'docs/index.md', '--config', 'ci.json'], { cwd })
    expect(low.status).toBe(1)
    expect(low.stderr).toContain('are below the 99 % of "minSavings"')
    const args = ['build', 'docs/index.md', '--config', 'none', '--scheme', 'dense-2']
    expect((await runInProcess(args, { cwd })).status).toBe(0)
    expect(readPack(join(cwd, 'dist'), 'docs').rosetta).toContain('volatile xenon')
    expect(readPack(join(cwd, 'dist'), 'docs')).toMatchObject({ domain: 'General', compression: 'dense-2' })
  })

  it('builds nothing while a value is not valid', async () => {
    const cwd = makeFolder({ ...SITE, 'packs.config.json': '{\n  "scheme": "dense"\n}' })
    const run = await runInProcess(['build', 'docs'], { cwd })
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr.split('\n')[0]).toBe(
      'packs.config.json:2:13 error scheme must be one of none, minify-1, dense-2, max-2, found "dense"',
    )
    expect(readdirSync(cwd)).not.toContain('dist')
  })

  it('is named where a source of its list does not exist', async () => {
    const config = { sources: ['dcos', 'nots/*.md', 'docs'] }
    const cwd = makeFolder({ 'packs.config.json': JSON.stringify(config), 'docs/a.md': TEXT })
    const run = await runInProcess(['build'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(
      'dcos error dcos does not exist file_not_found\n  hint: correct "sources" in packs.config.json\n',
    )
    expect(run.stderr).toContain('error no file matches nots/*.md file_not_found\n')
    expect(run.stderr).not.toContain('check the')
    const named = await runInProcess(['build', 'dcos'], { cwd })
    expect(named.stderr).toContain('dcos does not exist file_not_found\n  hint: check the name\n')
  })

  it('is warned about where one of its globs fits no source, unless inputs are named', async () => {
    const domain = { docs: 'Docs', 'docs/ap/**': 'API', './docs/api/': 'API', '.': 'All' }
    const config = { sources: ['docs'], domain, difficulty: { 'api/*.md': 'expert' }, subdomain: 'S' }
    const cwd = makeFolder({ 'packs.config.json': JSON.stringify(config), 'docs/api/a.md': TEXT })
    const run = await runInProcess(['build'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stderr.split('\n').filter((line) => line.includes('unused-glob'))).toEqual([
      'packs.config.json warning domain: "docs/ap/**" fits no source unused-glob',
      'packs.config.json warning difficulty: "api/*.md" fits no source unused-glob',
    ])
    const json = JSON.parse((await runInProcess(['build', '--json'], { cwd })).stdout) as {
      messages: unknown
    }
    expect(json.messages).toMatchObject([{ rule: 'unused-glob' }, { rule: 'unused-glob' }])
    expect((await runInProcess(['build', '--max-warnings', '1'], { cwd })).status).toBe(1)
    const named = await runInProcess(['build', 'docs/api'], { cwd })
    expect(named.stderr).not.toContain('unused-glob')
  })

  it('has globs for other folders than the one that is built', async () => {
    const config = { domain: { docs: 'Docs', notes: 'Notes', gone: 'Gone' } }
    const cwd = makeFolder({
      '.git/HEAD': '',
      'packs.config.json': JSON.stringify(config),
      'docs/a.md': TEXT,
      'notes/b.md': TEXT,
    })
    const below = await runInProcess(['build'], { cwd: join(cwd, 'docs') })
    expect(below.stderr).not.toContain('unused-glob')
    const whole = await runInProcess(['build'], { cwd })
    expect(whole.stderr.match(/domain: "\w+" fits no source/g)).toEqual(['domain: "gone" fits no source'])
  })
})

describe('docs/configuration.md', () => {
  it('shows a configuration that can be used', async () => {
    const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
    const [, example = ''] = /^```ts\n(.+?)^```/ms.exec(page) ?? []
    const cwd = makeFolder({ 'packs.config.ts': example, 'docs/api/a.md': TEXT, 'notes/b.txt': TEXT })
    const run = await runInProcess(['build', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toMatchObject({ packs: [{ slug: 'api-a' }, { slug: 'b' }] })
    expect(readPack(join(cwd, 'packs'), 'api-a')).toMatchObject({ domain: 'API', difficulty: 'intermediate' })
  })
})

describe('options of messages', () => {
  const TYPO = '---\ntitel: A title\n---\n# A\n'

  it('--max-warnings fails a build that has more, also with --json and --quiet', async () => {
    const cwd = makeFolder({ 'a.md': TYPO })
    expect((await runInProcess(['build', 'a.md', '--max-warnings', '1'], { cwd })).status).toBe(0)
    const over = await runInProcess(['build', 'a.md', '--max-warnings', '0'], { cwd })
    expect(over.status).toBe(1)
    expect(over.stderr).toContain('1 warning, but --max-warnings 0\n')
    const asJson = await runInProcess(['build', 'a.md', '--max-warnings', '0', '--json'], { cwd })
    expect(asJson.status).toBe(1)
    expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, packs: [{ status: 'unchanged' }] })
    const quiet = await runInProcess(['build', 'a.md', '--quiet', '--max-warnings', '0'], { cwd })
    expect(quiet).toMatchObject({ status: 1, stdout: '', stderr: '1 warning, but --max-warnings 0\n' })
  })

  it('annotates the place in GitHub Actions', async () => {
    const cwd = makeFolder({ 'docs/a.md': TYPO })
    const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: cwd }
    const run = await runInProcess(['build', 'docs'], { cwd, env })
    expect(run.stderr.split('\n')[0]).toMatch(
      /^::warning file=docs\/a\.md,line=2,col=1,title=unknown-key::.+$/,
    )
    expect(run.stdout).toContain('1 page, ')
  })
})
