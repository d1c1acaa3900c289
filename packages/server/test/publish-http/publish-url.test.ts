import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openCatalog, type PackHead } from '@packs/catalog'
import { expect, it, onTestFinished } from 'vitest'
import { makeFolder, runPack, startPack, type Run } from '../../../test-kit/test/run-pack.ts'
import { startRedis } from '../../../test-kit/test/start-redis.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const EMBEDDED = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: '', PACK_PUBLISH_TOKEN: '' }

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `The harbour master opens gate ${at} of the harbour.\n\n`).join('')

const FILES = {
  'package.json': '{}',
  'packs.config.json': JSON.stringify({
    domain: { docs: 'Harbours' },
    difficulty: 'expert',
    budget: 9000,
    worthHeader: { percent: 1, tokens: 10 },
    dialect: { 'docs/guide': 'mkdocs' },
    minify: { off: ['comments'] },
    base_url: 'https://example.org/docs/',
    frontMatter: { map: { title: 'name', weight: false } },
    glossary: [
      { expansion: 'harbour master', term: 'HM' },
      { expansion: 'gate', never: true },
    ],
  }),
  'docs/gates.md': `---\nname: Gates\nweight: 3\n---\n# Gates\n\n${lines(30)}`,
  'docs/guide/README.md': `# Guide\n\n!!! note\n    Text.\n\n<!-- kept -->\n${lines(5)}`,
  'docs/guide/tides.md': '\uFEFF# Tides\r\n\r\nTwice a day “or” so 🚢.\r\n',
  'docs/book/SUMMARY.md': '# Summary\n',
  'docs/book/own.md': '---\ntitle: Own\nslug: its-own\n---\nText.\n',
}

interface Result {
  readonly slug: string
  readonly status: string
  readonly code: string | null
  readonly job: string | null
}

const readResults = ({ stdout }: Run): Result[] => (JSON.parse(stdout) as { published: Result[] }).published

/** Starts a server with a catalog of its own, and returns how to publish to it. */
async function startPublishing(slug: string, env: Readonly<Record<string, string>> = {}) {
  const data = makeFolder()
  const server: TestServer = await startServer(['--data', data], { ...EMBEDDED, ...env })
  const created = await runPack(['tokens', 'create', '--slug', slug, '--data', data], { env: EMBEDDED })
  const token = { PACK_PUBLISH_TOKEN: created.stdout.trim() }
  const publish = (cwd: string, ...args: string[]): Promise<Run> =>
    runPack(['publish', ...args, '--url', server.url], { cwd, env: { ...EMBEDDED, ...token } })
  return { data, server, publish }
}

/** What a catalog has of each pack, without what names the job. */
async function readHeads(data: string, slugs: readonly string[]): Promise<unknown[]> {
  const catalog = await openCatalog({ url: join(data, 'catalog.sqlite') })
  const heads: unknown[] = []
  for (const slug of slugs) {
    const { provenance, ...head } = (await catalog.packs.head(slug)) as PackHead
    heads.push({ ...head, provenance: { ...provenance, job: '' } })
  }
  await catalog.close()
  return heads
}

it('publishes to a server what it publishes to a database, digest for digest', async () => {
  const cwd = makeFolder(FILES)
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd,
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'docs')
  const { data, publish } = await startPublishing('*')
  const local = join(makeFolder(), 'local')
  const args = ['docs', 'docs/gates.md', '--scheme', 'dense-2', '--json']
  const here = await runPack(['publish', ...args, '--data', local], { cwd, env: EMBEDDED })
  const there = await publish(cwd, ...args)
  expect([here.status, there.status]).toEqual([0, 0])
  expect(readResults(there)).toEqual(readResults(here).map((one) => ({ ...one, job: expect.any(String) })))
  const slugs = readResults(here).map(({ slug }) => slug)
  expect(slugs.length).toBeGreaterThan(2)
  const heads = await readHeads(data, slugs)
  expect(heads).toEqual(await readHeads(local, slugs))
  expect(heads).toContainEqual(
    expect.objectContaining({
      provenance: expect.objectContaining({ git_commit: expect.stringMatching(/^[0-9a-f]{40}$/) }),
    }),
  )
  // Each of the two finds the source of the other unchanged.
  const again = await publish(cwd, ...args)
  expect(new Set(readResults(again).map(({ status }) => status))).toEqual(new Set(['unchanged']))

  const table = await publish(cwd, 'docs', '--bump', 'minor', '--scheme', 'none')
  expect(table).toMatchObject({ status: 0, stderr: expect.not.stringContaining('next:') })
  expect(table.stdout).toMatch(
    /^5 published\npack +version +why\n(?:\S+ +1\.0\.0 → 1\.1\.0 +patch: the scheme changed .*\n){5}$/,
  )
})

it('says for each source what failed, with the status of a local publish', async () => {
  const cwd = makeFolder({
    'package.json': '{}',
    'docs-good.md': '# Good\n',
    'docs-bad.md': '# Bad\n\n<!-- pack:verbatim -->\ntext\n',
    'docs-named.md': '---\ntitle: Named\nversion: 1.0.0\n---\nOne.\n',
    'other.md': '# Other\n',
  })
  const { publish, server } = await startPublishing('docs-*')
  const bad = await publish(cwd, 'docs-good.md', 'docs-bad.md', 'docs-named.md', '--json')
  expect(bad.status).toBe(1)
  expect(readResults(bad)).toMatchObject([
    { slug: 'docs-good', status: 'published' },
    { slug: 'docs-named', status: 'published' },
    { file: 'docs-bad.md', status: 'failed', code: 'bad_source', messages: [{ line: 3, severity: 'error' }] },
  ])
  const forbidden = await publish(cwd, 'docs-good.md', 'other.md')
  expect(forbidden).toMatchObject({
    status: 4,
    stdout: expect.stringMatching(/^1 of 2 failed, 1 unchanged\n/),
    stderr: expect.stringContaining('This token publishes docs-*, not other token_forbidden'),
  })
  const changed = makeFolder({
    'package.json': '{}',
    'docs-named.md': '---\ntitle: Named\nversion: 1.0.0\n---\nTwo.\n',
  })
  const conflict = await publish(changed, 'docs-named.md', '--json')
  expect([conflict.status, readResults(conflict)]).toMatchObject([
    4,
    [
      {
        slug: 'docs-named',
        status: 'conflict',
        code: 'version_conflict',
        hint: expect.stringMatching(/version/),
      },
    ],
  ])
  for (const option of ['--dry-run', '--release=r', '--sign=key.pem', '--data=x']) {
    const refused = await publish(cwd, 'docs-good.md', option)
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${option.split('=')[0]} does not work with --url`),
    ])
  }
  const without = await runPack(['publish', 'docs-good.md', '--url', server.url], { cwd, env: EMBEDDED })
  expect(without).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('PACK_PUBLISH_TOKEN is not set'),
  })
  const wrong = await runPack(['publish', 'docs-good.md', '--url', server.url, '--json'], {
    cwd,
    env: { ...EMBEDDED, PACK_PUBLISH_TOKEN: 'kpub_wrong' },
  })
  expect([wrong.status, readResults(wrong)]).toMatchObject([4, [{ code: 'invalid_publish_token' }]])
  const secret = { cwd, env: { ...EMBEDDED, PACK_PUBLISH_TOKEN: 'kpub_secret' } }
  const insecure = await runPack(['publish', 'docs-good.md', '--url', 'http://packs.example'], secret)
  expect(insecure.status).toBe(4)
  for (const bad of ['nonsense', 'http://u:p@host']) {
    const { status, stderr } = await runPack(['publish', 'docs-good.md', '--url', bad], secret)
    expect([status, stderr]).toEqual([2, expect.stringMatching(/without credentials[^]*PACK_PUBLISH_TOKEN/)])
    expect(stderr).not.toMatch(/PACK_URL|PACK_KEY|u:p/)
  }
  const proxy = createServer((_, response) => void response.writeHead(413).end('<html>')).listen(0)
  onTestFinished(() => void proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { stderr: large } = await runPack(['publish', 'docs-good.md', '--url', url], secret)
  expect(large).toMatch(/status 413: a proxy allows no body of this size[^]*client_max_body_size 33m/)
  for (const { stderr, stdout } of [wrong, insecure, forbidden]) expect(stderr + stdout).not.toMatch(/kpub_/)
})

it('queues sources for a worker if the server has a queue, and waits for it with --wait', async () => {
  const redis = await startRedis()
  const { data, publish } = await startPublishing('*', { REDIS_URL: redis.url })
  const cwd = makeFolder({ 'package.json': '{}', 'one.md': '# One\n', 'two.md': '# Two\n' })
  const queued = await publish(cwd, 'one.md', '--json')
  expect([queued.status, readResults(queued)]).toMatchObject([
    0,
    [{ slug: 'one', version: null, status: 'queued', job: expect.stringMatching(/^one-/) }],
  ])
  const worker = startPack(['worker'], { env: { ...EMBEDDED, REDIS_URL: redis.url, PACK_DATA: data } })
  onTestFinished(() => void worker.kill('SIGKILL'))
  const done = await publish(cwd, 'one.md', 'two.md', '--wait', '--json')
  expect([done.status, readResults(done)]).toMatchObject([
    0,
    [
      { slug: 'one', version: '1.0.0' },
      { slug: 'two', version: '1.0.0', status: 'published', reasons: ['it is the first version'] },
    ],
  ])
})
