import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly name: string
  readonly id?: string
  readonly if?: string
  readonly shell: string
  readonly env?: Readonly<Record<string, string>>
  readonly run: string
  readonly 'working-directory'?: string
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const root = resolve(import.meta.dirname, '../..')
const action = readAction('action.yml')
const comment = readAction('comment/action.yml')

function readAction(path: string): Action {
  return parse(readFileSync(join(root, path), 'utf8')) as Action
}

let tarball = ''
let stand = ''

// A package with one command that runs the program of this workspace, as a tarball, so that no registry is asked.
beforeAll(() => {
  stand = mkdtempSync(join(tmpdir(), 'pack-action-'))
  const launcher = join(root, 'packages/cli/bin/pack.js')
  const script = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`
  const manifest = { name: 'pack-stand-in', version: '1.0.0', bin: { pack: 'pack.js' } }
  writeFileSync(join(stand, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(stand, 'pack.js'), script, { mode: 0o755 })
  execFileSync('npm', ['pack', '--loglevel=error'], { cwd: stand })
  tarball = join(stand, 'pack-stand-in-1.0.0.tgz')
  // Does what npm would, in a hundredth of the time.
  const install = `#!/bin/sh\nmkdir -p node_modules/.bin && ln -s '${stand}/pack.js' node_modules/.bin/pack\n`
  mkdirSync(join(stand, 'bin'))
  writeFileSync(join(stand, 'bin/npm'), install, { mode: 0o755 })
  buildSite(join(stand, 'site'))
})
afterAll(() => rmSync(stand, { recursive: true, force: true }))

interface ActionRun {
  /** Result of each step, by name. */
  readonly steps: Readonly<Record<string, 'success' | 'failure' | 'skipped'>>
  readonly log: string
  readonly summary: string
  /** The table that the next job gets. */
  readonly table: string | undefined
}

interface ActionOptions {
  readonly cwd: string
  /** @default the one that checks packs */
  readonly action?: Action
  readonly env?: Readonly<Record<string, string>>
  readonly inputs?: Readonly<Record<string, string>>
  /** The document of the event that started the workflow. */
  readonly event?: unknown
  readonly apiUrl?: string
  /** Lets npm install the package, which takes long. */
  readonly withNpm?: boolean
}

/** Runs the steps of the action as the runner of GitHub does: each script in bash, with variables for its expressions. */
async function runAction({
  cwd,
  action: run = action,
  env: more = {},
  inputs = {},
  event = {},
  apiUrl = '',
  withNpm = false,
}: ActionOptions): Promise<ActionRun> {
  const temp = mkdtempSync(join(tmpdir(), 'pack-runner-'))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  const defaults = Object.entries(run.inputs).map(([name, input]) => [name, input.default ?? ''])
  const values: Readonly<Record<string, string>> = {
    ...Object.fromEntries(defaults),
    package: tarball,
    ...inputs,
  }
  writeFileSync(join(temp, 'event.json'), JSON.stringify(event))
  writeFileSync(join(temp, 'summary.md'), '')
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...outer } = process.env
  const env = {
    ...outer,
    ...(!withNpm && { PATH: `${join(stand, 'bin')}:${outer['PATH']}` }),
    CI: 'true',
    GITHUB_ACTION_PATH: run === comment ? join(root, 'comment') : root,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: apiUrl,
    GITHUB_EVENT_PATH: join(temp, 'event.json'),
    GITHUB_REPOSITORY: 'owner/site',
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    GITHUB_WORKSPACE: cwd,
    RUNNER_TEMP: temp,
    ...more,
  }
  const outcomes = new Map<string, 'success' | 'failure' | 'skipped'>()
  const steps: Record<string, 'success' | 'failure' | 'skipped'> = {}
  let log = ''
  for (const step of run.runs.steps) {
    const hasFailed = [...outcomes.values()].includes('failure')
    const isRun = step.if === undefined ? !hasFailed : isTrue(step.if, values, outcomes)
    let outcome: 'success' | 'failure' | 'skipped' = 'skipped'
    if (isRun) {
      const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, fill(text, values)])
      const script = join(temp, 'step.sh')
      writeFileSync(script, step.run)
      const folder = join(cwd, fill(step['working-directory'] ?? '.', values))
      const done = await runBash(script, folder, { ...env, ...Object.fromEntries(own) })
      log += done.log
      outcome = done.status === 0 ? 'success' : 'failure'
    }
    outcomes.set(step.id ?? step.name, outcome)
    steps[step.name] = outcome
  }
  const table = join(temp, 'check-packs/table.md')
  return {
    steps,
    log,
    summary: readFileSync(join(temp, 'summary.md'), 'utf8'),
    table: existsSync(table) ? readFileSync(table, 'utf8') : undefined,
  }
}

async function runBash(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly status: number | null; readonly log: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], { cwd, env })
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const status = await new Promise<number | null>((done) => child.on('close', done))
  return { status, log }
}

function fill(text: string, inputs: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? '')
}

/** Evaluates a condition that is a list of comparisons with && between them. */
function isTrue(
  condition: string,
  inputs: Readonly<Record<string, string>>,
  outcomes: ReadonlyMap<string, string>,
): boolean {
  const terms = condition.replace(/^\$\{\{ (.*) \}\}$/, '$1').split(' && ')
  return terms.every((term) => {
    if (term === '!cancelled()') return true
    const [, kind, name = '', operator, text] =
      /^(inputs|steps)\.([\w-]+)(?:\.outcome)? (==|!=) '(.*)'$/.exec(term) ?? []
    if (kind === undefined) throw new Error(`the test cannot evaluate ${term}`)
    const value = kind === 'inputs' ? inputs[name] : outcomes.get(name)
    return operator === '==' ? value === text : value !== text
  })
}

/** A folder of three documents with an earlier check of their packs. */
function makeSite(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pack-site-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  cpSync(join(stand, 'site'), cwd, { recursive: true })
  return cwd
}

function buildSite(cwd: string): void {
  mkdirSync(join(cwd, 'docs'), { recursive: true })
  for (const name of ['one', 'two', 'three'])
    writeFileSync(join(cwd, `docs/${name}.md`), writeDocument(name, 120))
  const pack = join(root, 'packages/cli/bin/pack.js')
  execFileSync(process.execPath, [pack, 'build', 'docs'], { cwd, stdio: 'pipe' })
  writeFileSync(join(cwd, 'packs.json'), execFileSync(process.execPath, [pack, 'check', '--json'], { cwd }))
  rmSync(join(cwd, 'dist'), { recursive: true })
}

function writeDocument(name: string, words: number): string {
  return `# ${name}\n\n${Array.from({ length: words }, (_, at) => `${name}${at * 7919}`).join(' ')}\n`
}

interface ApiCall {
  readonly method: string
  readonly url: string
  readonly token: string | undefined
  readonly body: string | undefined
}

interface FakeApi {
  readonly url: string
  readonly calls: ApiCall[]
}

/** Starts a server that answers like GitHub's API of comments. */
async function startApi(comments: unknown[], status = 200): Promise<FakeApi> {
  const calls: ApiCall[] = []
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { method = '', url = '' } = request
      const body = text === '' ? undefined : (JSON.parse(text) as { body: string }).body
      calls.push({ method, url, token: request.headers.authorization, body })
      if (method === 'POST') comments.push({ id: 7, user: { type: 'Bot' }, body })
      response.writeHead(method === 'POST' && status === 200 ? 201 : status, {
        'content-type': 'application/json',
      })
      const page = Number(new URL(url, 'http://api').searchParams.get('page'))
      response.end(JSON.stringify(method === 'GET' ? comments.slice(100 * page - 100, 100 * page) : {}))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

describe('action.yml', () => {
  it('passes values to scripts as variables only', () => {
    for (const path of ['action.yml', 'comment/action.yml']) {
      const { inputs, runs } = readAction(path)
      for (const { run, shell } of runs.steps) {
        expect(run).not.toContain('${{')
        expect(shell).toBe('bash')
      }
      const used = readFileSync(join(root, path), 'utf8').matchAll(/inputs\.([\w-]+)/g)
      expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(Object.keys(inputs)))
    }
  })

  it('builds, compares, and writes the table into the summary of the job', async () => {
    const cwd = makeSite()
    const run = await runAction({
      cwd,
      withNpm: true,
      inputs: { sources: 'docs', against: 'packs.json' },
    })
    expect(run.steps).toEqual({
      'Install pack': 'success',
      Build: 'success',
      Check: 'success',
      Publish: 'skipped',
    })
    expect(run.summary).toContain('### Packs: passed')
    expect(run.summary).toContain('3 packs compared with `packs.json`: no change.')
  })

  it('fails and annotates where a document grew and another one went away', async () => {
    const cwd = makeSite()
    writeFileSync(join(cwd, 'docs/one.md'), writeDocument('one', 150))
    rmSync(join(cwd, 'docs/two.md'))
    const run = await runAction({ cwd, inputs: { sources: 'docs', against: 'packs.json' } })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'failure' })
    expect(run.log).toMatch(/^::error file=.*title=pack-grown::one grew from /m)
    expect(run.log).toMatch(/^::error file=.*title=pack-gone::two is in /m)
    expect(run.summary).toContain('### Packs: 2 failed')
    expect(run.summary).toMatch(/\| `two` \| \d+ \| {2}\| -\d+ .*\*\*gone\*\* \|/)
  })

  it('lists a new document, which passes', async () => {
    const cwd = makeSite()
    writeFileSync(join(cwd, 'docs/four.md'), writeDocument('four', 120))
    const run = await runAction({ cwd, inputs: { sources: 'docs', against: 'packs.json' } })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'success' })
    expect(run.summary).toMatch(/^### Packs: passed\n[^]*\n\| `four` .* \| new \|\n/)
  })

  it('installs folders and tarballs, and asks npm for none of our packages', async () => {
    const cwd = makeSite()
    const bin = join(cwd, 'bin')
    for (const folder of ['other', 'tools', 'bin']) mkdirSync(join(cwd, folder), { recursive: true })
    for (const name of ['tools/x.tgz', 'tools/y.tgz', 'a.tgz', 'other/package.json'])
      writeFileSync(join(cwd, name), '')
    const npm = '#!/bin/sh\nfor arg; do echo "arg:$arg"; done\necho "in:$PWD"\nexit 1\n'
    writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const run = await runAction({
      cwd,
      env,
      inputs: { package: `  ./other\n\n./tools\na.tgz\n${cwd}/a.tgz` },
    })
    const args = run.log.split('\n').filter((line) => line.startsWith('arg:'))
    expect(args.slice(args.indexOf('arg:--') + 1)).toEqual([
      `arg:${cwd}/./other`,
      `arg:${cwd}/./tools/x.tgz`,
      `arg:${cwd}/./tools/y.tgz`,
      `arg:${cwd}/a.tgz`,
      `arg:${cwd}/a.tgz`,
    ])
    expect(args).toContain('arg:--@packs:registry=https://packs.invalid/')
    expect(run.log).toMatch(/^in:.*\/check-packs$/m)
  })

  it.each([
    '',
    '@packs/cli',
    'pack',
    'pack@1.0.0',
    './other\n@packs/cli',
    'file:other',
    'https://example.org/a',
    './docs',
    './missing.tgz',
    './*.tgz',
  ])('fails with a sentence if the package is %j', async (name) => {
    const run = await runAction({ cwd: makeSite(), inputs: { package: name } })
    expect(run.steps).toMatchObject({ 'Install pack': 'failure', Build: 'skipped', Check: 'skipped' })
    expect(run.log).toContain(
      `::error title=No package::The input package says: ${name.split('\n')[0] || 'nothing'}. Packs is not on npm, so it must name folders that exist`,
    )
  })

  it('runs nothing that a name or an input contains', async () => {
    const cwd = makeSite()
    const command = '$(touch was-run)`touch was-run`";touch was-run;"'
    writeFileSync(join(cwd, `docs/${command}.md`), writeDocument('four', 20))
    const inputs = {
      sources: `docs/${command}.md\ndocs/one.md`,
      args: '--domain\n$(touch was-run)',
      against: '$(touch was-run).json',
    }
    const run = await runAction({ cwd, inputs: { ...inputs, args: '' } })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'failure' })
    expect(run.log).toContain('$(touch was-run).json does not exist')
    const refused = await runAction({ cwd, inputs })
    expect(refused.steps).toMatchObject({ Build: 'failure', Check: 'skipped' })
    expect(existsSync(join(cwd, 'was-run'))).toBe(false)
  })

  it('takes folders and options, and compares with nothing', async () => {
    const cwd = makeSite()
    mkdirSync(join(cwd, 'site'))
    execFileSync('mv', ['docs', 'site'], { cwd })
    const inputs = {
      'working-directory': 'site',
      sources: 'docs/one.md\ndocs/two.md',
      args: '--scheme\nnone',
      out: 'built',
    }
    const run = await runAction({ cwd, inputs })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'success' })
    expect(run.summary).toBe('')
    expect(existsSync(join(cwd, 'site/built/two.pack.json'))).toBe(true)
    const broken = await runAction({ cwd, inputs: { ...inputs, sources: 'absent', 'max-warnings': '0' } })
    expect(broken.steps).toMatchObject({ Build: 'failure', Check: 'skipped' })
  })

  it('publishes with a token after the check, on the default branch only', async () => {
    const sent: string[] = []
    const server = createServer((request, response) => {
      sent.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      const published = {
        version: '1.0.0',
        status: 'published',
        reasons: [],
        code: null,
        job: null,
        messages: [],
      }
      const slug = request.url!.split('/').at(-1)
      request.resume().on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ ...published, slug, id: slug, bump: null, message: null, hint: null }))
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const cwd = makeSite()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const inputs = { sources: 'docs', 'publish-url': url, 'publish-token': 'kpub_secret' }
    const event = { repository: { default_branch: 'trunk' } }
    const run = (
      name: string,
      ref: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<ActionRun> =>
      runAction({
        cwd,
        event,
        env: { GITHUB_EVENT_NAME: name, GITHUB_REF: ref },
        inputs: { ...inputs, ...more },
      })
    for (const [name, ref] of [
      ['push', 'refs/heads/other'],
      ['pull_request', 'refs/pull/1/merge'],
      ['pull_request_target', 'refs/heads/trunk'],
    ] as const) {
      const { steps, log } = await run(name, ref)
      expect([steps['Publish'], log]).toEqual(['success', expect.stringContaining('nothing is published')])
    }
    const failed = await run('push', 'refs/heads/trunk', { against: 'absent.json' })
    expect(failed.steps).toMatchObject({ Check: 'failure', Publish: 'skipped' })
    expect(sent).toEqual([])
    const done = await run('push', 'refs/heads/trunk')
    expect(done.steps).toMatchObject({ Check: 'success', Publish: 'success' })
    expect(sent.toSorted()).toEqual(
      ['one', 'three', 'two'].map((slug) => `PUT /publish/v1/packs/${slug} Bearer kpub_secret`),
    )
    expect(done.log).toContain('3 published')
    expect(done.log).not.toContain('kpub_secret')
  })

  it('has a documented job that publishes with a secret', () => {
    const [, text] = /## Publish\n[^]*?```yaml\n([^]*?)```/.exec(
      readFileSync(join(root, 'docs/ci.md'), 'utf8'),
    )!
    const { on, jobs } = parse(text!) as {
      on: unknown
      jobs: { publish: { permissions: unknown; steps: { uses: string; with?: Record<string, string> }[] } }
    }
    expect(on).toEqual({ push: { branches: ['main'] } })
    const { permissions, steps } = jobs.publish
    expect(permissions).toEqual({ contents: 'read' })
    expect(steps[0]!.with).toEqual({ 'persist-credentials': false })
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(steps.at(-1)!.with!)))
    expect(steps.at(-1)!.with!['publish-token']).toBe('${{ secrets.PACK_PUBLISH_TOKEN }}')
  })

  it('says what is wrong with the package', async () => {
    const run = await runAction({ cwd: makeSite(), withNpm: true, inputs: { package: './absent.tgz' } })
    expect(run.steps).toMatchObject({ 'Install pack': 'failure', Build: 'skipped', Check: 'skipped' })
    expect(run.log).toContain('absent.tgz')
  })
})

describe('comment/action.yml', () => {
  const event = { pull_request: { number: 12 } }
  const issue = '/repos/owner/site/issues'
  const title = '### Packs: passed\n\n'
  const sentence = '1 pack compared with `b`: no change.\n'

  /** Comments as a job of its own does, which has nothing but the table. */
  async function runComment(
    table: string | undefined,
    api: FakeApi,
    given: unknown = event,
  ): Promise<string> {
    const cwd = mkdtempSync(join(tmpdir(), 'pack-comment-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    mkdirSync(join(cwd, 'packs-table'))
    if (table !== undefined) writeFileSync(join(cwd, 'packs-table/table.md'), table)
    const inputs = { token: 'secret-token' }
    const run = await runAction({ cwd, action: comment, inputs, event: given, apiUrl: api.url })
    expect(run.steps).toEqual({ Comment: 'success' })
    expect(run.log).not.toContain('secret-token')
    return run.log
  }

  it('comments once, and updates its comment', async () => {
    const cwd = makeSite()
    const others = Array.from({ length: 100 }, (_, id) => ({ id, user: { type: 'User' }, body: 'thanks' }))
    const api = await startApi([...others])
    const { table } = await runAction({ cwd, inputs: { sources: 'docs', against: 'packs.json' } })
    await runComment(table, api)
    expect(api.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${issue}/12/comments?per_page=100&page=1`,
      `GET ${issue}/12/comments?per_page=100&page=2`,
      `POST ${issue}/12/comments`,
    ])
    expect(api.calls.at(-1)).toMatchObject({ token: 'Bearer secret-token' })
    expect(api.calls.at(-1)?.body).toContain('### Packs: passed')
    const marker = api.calls.at(-1)?.body?.split('\n')[0]

    // Somebody else's comment with the same first line is left alone.
    const copy = { id: 1, user: { type: 'User' }, body: `${marker}\nmine` }
    const own = { id: 7, user: { type: 'Bot' }, body: `${marker}\nold` }
    const second = await startApi([copy, own])
    writeFileSync(join(cwd, 'docs/one.md'), writeDocument('one', 150))
    writeFileSync(join(cwd, 'docs/four.md'), writeDocument('four', 150))
    rmSync(join(cwd, 'docs/two.md'))
    const run = await runAction({ cwd, inputs: { sources: 'docs', against: 'packs.json' } })
    expect(run.steps).toMatchObject({ Check: 'failure' })
    await runComment(run.table, second)
    expect(second.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${issue}/12/comments?per_page=100&page=1`,
      `PATCH ${issue}/comments/7`,
    ])
    expect(second.calls[1]?.body).toBe(`${marker}\n${run.table}`)
  })

  it('warns where it may not comment, and says where there is nothing to do', async () => {
    const api = await startApi([], 403)
    const table = `${title}${sentence}`
    expect(await runComment(table, api)).toContain(
      '::warning title=No comment::GitHub answered 403 to GET; the job needs `permissions',
    )
    expect(await runComment(table, api, { ref: 'refs/heads/main' })).toContain('not a pull request')
    expect(await runComment(undefined, api)).toContain('there is no table')
    expect(api.calls).toHaveLength(1)
  })

  const rule = '| --- | ---: | ---: | ---: | ---: | ---: | --- |\n'
  const head = `| pack | before | after | difference | percent | net saved | result |\n${rule}`
  const row = '| `one` | 1 | 2 | +1 | +100.0 % | 1.00 % | ok |\n'
  const end = `| 1 in both | 1 | 2 | +1 | +100.0 % | 1.00 % |  |\n\n${sentence}`
  /** A table with one row that a pull request chose. */
  const withRow = (...[from, to]: [string, string]): string => title + head + row.replace(from, to) + end

  it('accepts the table of which the next ones are variants', async () => {
    const api = await startApi([])
    expect(await runComment(withRow('one', 'two'), api)).toContain('wrote a comment')
    expect(await runComment(withRow('| ok |', '| new |'), api)).toContain('updated the comment')
  })

  it.each([
    ['nothing', ''],
    ['other text', 'Approved.\n'],
    ['text after a table', `${title}${sentence}Approved.\n`],
    ['a mention', withRow('ok', '@octocat')],
    ['a mention in a count', withRow('| 1 ', '| @octocat ')],
    ['a link', withRow('ok', '[ok](https://example.org)')],
    ['an image', withRow('1.00 %', '![](https://example.org/a.png)')],
    ['markup', withRow('ok', '<b>ok</b>')],
    ['the end of a code span', withRow('one', 'one` @octocat `')],
    ['a line end of another kind', withRow('ok', 'ok |\r@octocat')],
    ['a name with markup', title + sentence.replace('`b`', '`b` @octocat `b`')],
    ['another sentence', title + sentence.replace('no change', '1 approved')],
    ['two sentences', title + sentence + sentence],
    ['a comment of its own', `<!-- check-packs 0 -->\n${title}${sentence}`],
    ['too many rows', title + head + row.repeat(201) + end],
    ['too many bytes', title + head + row.repeat(6000) + end],
  ])('refuses %s', async (_, table) => {
    const api = await startApi([])
    expect(await runComment(table, api)).toContain(
      'No comment::the file is not a table that pack check writes',
    )
    expect(api.calls).toEqual([])
  })

  it('refuses a link to another file', async () => {
    const api = await startApi([])
    const cwd = mkdtempSync(join(tmpdir(), 'pack-comment-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    writeFileSync(join(cwd, 'other.md'), title + sentence)
    mkdirSync(join(cwd, 'packs-table'))
    symlinkSync('../other.md', join(cwd, 'packs-table/table.md'))
    const run = await runAction({ cwd, action: comment, inputs: { token: 't' }, event, apiUrl: api.url })
    expect(run.log).toContain('not a table')
    expect(api.calls).toEqual([])
  })

  it('has a documented job of its own, which alone may write and runs nothing of the pull request', () => {
    const [, text] = /## GitHub Actions\n\n```yaml\n([^]*?)```/.exec(
      readFileSync(join(root, 'docs/ci.md'), 'utf8'),
    )!
    const { permissions, jobs } = parse(text!) as {
      permissions: unknown
      jobs: Record<
        string,
        { permissions: unknown; steps: { uses: string; with?: Record<string, unknown> }[] }
      >
    }
    expect(permissions).toEqual({})
    expect(jobs['packs']!.permissions).toEqual({ contents: 'read' })
    expect(jobs['packs']!.steps[0]).toMatchObject({ with: { 'persist-credentials': false } })
    expect(jobs['comment']!.permissions).toEqual({ 'pull-requests': 'write' })
    expect(jobs['comment']!.steps.map(({ uses }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/download-artifact',
      'OWNER/REPOSITORY/comment',
    ])
  })
})
