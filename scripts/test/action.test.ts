import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action

let tarball = ''
let stand = ''

// A package with one command that runs the program of this workspace, as a tarball, so that no registry is asked.
beforeAll(() => {
  stand = mkdtempSync(join(tmpdir(), 'pack-action-'))
  const launcher = join(root, 'packages/cli/bin/pack.js')
  const script = `#!/usr/bin/env node
const { spawnSync } = require('node:child_process')
const run = spawnSync(${JSON.stringify(process.execPath)}, [${JSON.stringify(launcher)}, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(run.status ?? 3)
`
  const manifest = { name: 'pack-stand-in', version: '1.0.0', bin: { pack: 'pack.js' } }
  writeFileSync(join(stand, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(stand, 'pack.js'), script, { mode: 0o755 })
  execFileSync('npm', ['pack', '--loglevel=error'], { cwd: stand })
  tarball = join(stand, 'pack-stand-in-1.0.0.tgz')
})
afterAll(() => rmSync(stand, { recursive: true, force: true }))

interface ActionRun {
  /** Result of each step, by name. */
  readonly steps: Readonly<Record<string, 'success' | 'failure' | 'skipped'>>
  readonly log: string
  readonly summary: string
}

interface ActionOptions {
  readonly cwd: string
  readonly inputs?: Readonly<Record<string, string>>
  /** The document of the event that started the workflow. */
  readonly event?: unknown
  readonly apiUrl?: string
}

/** Runs the steps of the action as the runner of GitHub does: each script in bash, with variables for its expressions. */
async function runAction({ cwd, inputs = {}, event = {}, apiUrl = '' }: ActionOptions): Promise<ActionRun> {
  const temp = mkdtempSync(join(tmpdir(), 'pack-runner-'))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])
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
    CI: 'true',
    GITHUB_ACTION_PATH: root,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: apiUrl,
    GITHUB_EVENT_PATH: join(temp, 'event.json'),
    GITHUB_REPOSITORY: 'owner/site',
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    GITHUB_WORKSPACE: cwd,
    RUNNER_TEMP: temp,
  }
  const outcomes = new Map<string, 'success' | 'failure' | 'skipped'>()
  const steps: Record<string, 'success' | 'failure' | 'skipped'> = {}
  let log = ''
  for (const step of action.runs.steps) {
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
  return { steps, log, summary: readFileSync(join(temp, 'summary.md'), 'utf8') }
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

/** A folder of three documents with a baseline of their packs. */
async function makeSite(): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'pack-site-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, 'docs'))
  for (const name of ['one', 'two', 'three'])
    writeFileSync(join(cwd, `docs/${name}.md`), writeDocument(name, 120))
  const pack = join(root, 'packages/cli/bin/pack.js')
  execFileSync(process.execPath, [pack, 'build', 'docs'], { cwd, stdio: 'pipe' })
  execFileSync(process.execPath, [pack, 'check', '--update'], { cwd, stdio: 'pipe' })
  rmSync(join(cwd, 'dist'), { recursive: true })
  return cwd
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
    for (const { run, shell } of action.runs.steps) {
      expect(run).not.toContain('${{')
      expect(shell).toBe('bash')
    }
    const used = readFileSync(join(root, 'action.yml'), 'utf8').matchAll(/inputs\.([\w-]+)/g)
    expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(Object.keys(action.inputs)))
  })

  it('builds, lints, compares, and writes the table into the summary of the job', async () => {
    const cwd = await makeSite()
    const run = await runAction({ cwd, inputs: { sources: 'docs' } })
    expect(run.steps).toEqual({
      'Install pack': 'success',
      Build: 'success',
      Lint: 'success',
      Check: 'success',
      Comment: 'skipped',
    })
    expect(run.summary).toContain('### Packs: within the baseline')
    expect(run.summary).toContain('3 packs compared with `packs.baseline.json`: no change.')
  })

  it('fails and annotates where a document grew and another one went away', async () => {
    const cwd = await makeSite()
    writeFileSync(join(cwd, 'docs/one.md'), writeDocument('one', 150))
    rmSync(join(cwd, 'docs/two.md'))
    const run = await runAction({ cwd, inputs: { sources: 'docs' } })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'failure', Comment: 'skipped' })
    expect(run.log).toMatch(/^::error file=.*title=baseline-grown::one grew from /m)
    expect(run.log).toMatch(/^::error file=.*title=baseline-gone::two is in /m)
    expect(run.summary).toContain('### Packs: 2 outside the baseline')
    expect(run.summary).toMatch(/\| `two` \| \d+ \| {2}\| -\d+ .*\*\*gone\*\* \|/)
  })

  it('comments once, and updates its comment', async () => {
    const cwd = await makeSite()
    const others = Array.from({ length: 100 }, (_, id) => ({ id, user: { type: 'User' }, body: 'thanks' }))
    const api = await startApi([...others])
    const comments = { comment: 'true', token: 'secret-token', sources: 'docs' }
    const options = { cwd, inputs: comments, event: { pull_request: { number: 12 } }, apiUrl: api.url }
    expect((await runAction(options)).steps).toMatchObject({ Comment: 'success' })
    const issue = '/repos/owner/site/issues'
    expect(api.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${issue}/12/comments?per_page=100&page=1`,
      `GET ${issue}/12/comments?per_page=100&page=2`,
      `POST ${issue}/12/comments`,
    ])
    expect(api.calls.at(-1)).toMatchObject({ token: 'Bearer secret-token' })
    expect(api.calls.at(-1)?.body).toContain('### Packs: within the baseline')
    const marker = api.calls.at(-1)?.body?.split('\n')[0]

    // Somebody else's comment with the same first line is left alone.
    const copy = { id: 1, user: { type: 'User' }, body: `${marker}\nmine` }
    const own = { id: 7, user: { type: 'Bot' }, body: `${marker}\nold` }
    const second = await startApi([copy, own])
    writeFileSync(join(cwd, 'docs/one.md'), writeDocument('one', 150))
    const run = await runAction({ ...options, apiUrl: second.url })
    expect(run.steps).toMatchObject({ Check: 'failure', Comment: 'success' })
    expect(second.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${issue}/12/comments?per_page=100&page=1`,
      `PATCH ${issue}/comments/7`,
    ])
    expect(second.calls[1]?.body).toContain('**grown**')
    expect(run.log).not.toContain('secret-token')
  })

  it('warns where it may not comment, and says where there is no pull request', async () => {
    const cwd = await makeSite()
    const api = await startApi([], 403)
    const inputs = { comment: 'true', token: 't', sources: 'docs' }
    const denied = await runAction({ cwd, inputs, event: { pull_request: { number: 3 } }, apiUrl: api.url })
    expect(denied.steps).toMatchObject({ Check: 'success', Comment: 'success' })
    expect(denied.log).toContain(
      '::warning title=No comment::GitHub answered 403 to GET; the job needs `permissions',
    )
    const push = await runAction({ cwd, inputs, event: { ref: 'refs/heads/main' }, apiUrl: api.url })
    expect(push.log).toContain('not a pull request')
    expect(api.calls).toHaveLength(1)
  })

  it('runs nothing that a name or an input contains', async () => {
    const cwd = await makeSite()
    const command = '$(touch was-run)`touch was-run`";touch was-run;"'
    writeFileSync(join(cwd, `docs/${command}.md`), writeDocument('four', 20))
    const inputs = {
      sources: `docs/${command}.md\ndocs/one.md`,
      args: '--domain\n$(touch was-run)',
      baseline: '$(touch was-run).json',
    }
    const run = await runAction({ cwd, inputs: { ...inputs, args: '' } })
    expect(run.steps).toMatchObject({ Build: 'success', Check: 'failure' })
    expect(run.log).toContain('$(touch was-run).json does not exist')
    const refused = await runAction({ cwd, inputs })
    expect(refused.steps).toMatchObject({ Build: 'failure', Check: 'skipped' })
    expect(existsSync(join(cwd, 'was-run'))).toBe(false)
  })

  it('takes folders, options and an empty baseline', async () => {
    const cwd = await makeSite()
    mkdirSync(join(cwd, 'site'))
    execFileSync('mv', ['docs', 'packs.baseline.json', 'site'], { cwd })
    const inputs = {
      'working-directory': 'site',
      sources: 'docs/one.md\ndocs/two.md',
      args: '--scheme\nnone',
      out: 'built',
    }
    const run = await runAction({ cwd, inputs: { ...inputs, baseline: '', lint: 'false' } })
    expect(run.steps).toMatchObject({ Build: 'success', Lint: 'skipped', Check: 'success' })
    expect(run.summary).toBe('')
    expect(existsSync(join(cwd, 'site/built/two.pack.json'))).toBe(true)
    const broken = await runAction({ cwd, inputs: { ...inputs, sources: 'absent', 'max-warnings': '0' } })
    expect(broken.steps).toMatchObject({ Build: 'failure', Check: 'skipped', Comment: 'skipped' })
  })

  it('says what is wrong with the package', async () => {
    const run = await runAction({ cwd: await makeSite(), inputs: { package: './absent.tgz' } })
    expect(run.steps).toMatchObject({ 'Install pack': 'failure', Build: 'skipped', Check: 'skipped' })
    expect(run.log).toContain('absent.tgz')
  })
})
