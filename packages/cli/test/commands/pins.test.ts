import { createHash, hash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { createPin, type Lock, serializeLock } from '@packs/client'
import { decode } from '@packs/codec'
import { digestRows, sealPack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack, startPack } from '../../../test-kit/test/run-pack.ts'

const TLS = `# TLS\n\n${'Every certificate transparency log entry names a certificate transparency log.\n'.repeat(30)}`
const CODES = `# Codes\n\n${'A status code tells a client what the server did with the request.\n'.repeat(20)}`

const tls = await buildVersion({ slug: 'tls', title: 'TLS', body: TLS })
const api = await startApi({
  versions: [
    tls,
    await buildVersion({ slug: 'codes', title: 'Codes', body: CODES }),
    await buildVersion({ slug: 'old', title: 'Old', body: '# Old\n' }),
    await buildVersion({ slug: 'news', title: 'News', body: '# News\n' }),
  ],
})
for (const [version, parent] of [
  ['1.1.0', '1.0.0'],
  ['2.0.0', '1.1.0'],
] as const) {
  const body = `# News\n\nof ${version}\n`
  await api.catalog.packs.commit([await buildVersion({ slug: 'news', title: 'News', body, version, parent })])
}
/** An address where nobody answers. */
const gone = 'http://127.0.0.1:9'

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What commands print with --json. */
interface Output {
  readonly ok: boolean
  readonly packs: readonly Record<string, unknown>[]
  readonly error: { readonly code: string; readonly message: string; readonly hint: string }
}

/** A project with a cache of its own, and what its commands print. */
interface Project {
  readonly folder: string
  readonly env: Record<string, string>
  readonly pack: (...args: string[]) => Promise<Printed>
  /** Runs a command with --json. */
  readonly json: (...args: string[]) => Promise<{ readonly status: number | null; readonly output: Output }>
  readonly readLock: () => Lock
}

function makeProject(files: Readonly<Record<string, string>> = {}): Project {
  const folder = makeFolder({ 'package.json': '{}', ...files })
  const env = {
    PACK_URL: `http://127.0.0.1:${api.port}`,
    PACK_KEY: api.pro.key,
    XDG_CACHE_HOME: makeFolder(),
  }
  const pack = (...args: string[]): Promise<Printed> => runInProcess(args, { cwd: folder, env })
  return {
    folder,
    env,
    pack,
    async json(...args) {
      const { status, stdout, stderr } = await pack(...args, '--json')
      expect(stderr).toBe('')
      return { status, output: JSON.parse(stdout) }
    },
    readLock: () => JSON.parse(readFileSync(join(folder, 'packs.lock'), 'utf8')) as Lock,
  }
}

/** Names of the entries in the cache of a project. */
function listCached({ env }: Project): string[] {
  try {
    return readdirSync(join(env['XDG_CACHE_HOME']!, 'packs/client'))
  } catch {
    return []
  }
}

describe('pack add', () => {
  it('pins the newest versions beside package.json, and prints tokens and savings', async () => {
    const { folder, env, readLock } = makeProject({ 'sub/a.md': '' })
    const run = await runInProcess(['add', 'tls', 'codes@1.x'], { cwd: join(folder, 'sub'), env })
    expect(run).toMatchObject({ status: 0, stderr: 'pinned 2 packs in ../packs.lock\n' })
    const [heading, first, second] = run.stdout.split('\n')
    expect(heading).toMatch(/^pack +version +range +tokens +saved +signer$/)
    expect(first).toMatch(/^tls +1\.0\.0 +\^1\.0\.0 +\d+ +\d+\.\d % +unsigned$/)
    expect(second).toMatch(/^codes +1\.0\.0 +1\.x +\d+ +\d+\.\d % +unsigned$/)
    const { pack } = tls
    expect(Object.keys(readLock().packs)).toEqual(['codes', 'tls'])
    expect(readLock().packs['tls']).toEqual({
      range: '^1.0.0',
      version: '1.0.0',
      pack_digest: pack.pack_digest,
      sha256: pack.sha256,
      token_count: pack.token_count,
      rosetta_tokens: pack.rosetta_tokens,
      uncompressed_estimate: pack.uncompressed_estimate,
    })
  })

  it('takes the newest version in a range, and replaces a pin', async () => {
    const { json, readLock } = makeProject()
    const first = await json('add', 'news@^1')
    expect(first.output).toMatchObject({
      ok: true,
      lock: 'packs.lock',
      packs: [{ slug: 'news', status: 'added', version: '1.1.0', range: '^1', before: null }],
    })
    expect((await json('add', 'news')).output.packs).toMatchObject([
      { slug: 'news', status: 'changed', version: '2.0.0', range: '^2.0.0', before: '1.1.0' },
    ])
    expect((await json('add', 'news')).output.packs).toMatchObject([{ status: 'unchanged' }])
    expect(readLock().packs['news']).toMatchObject({ version: '2.0.0', range: '^2.0.0' })
  })

  it.each([
    [['tls', 'missing'], 1, 'pack_not_found'],
    [['tls', 'news@^7'], 1, 'no_matching_version'],
    [['tls', 'news@nonsense'], 2, 'invalid_range'],
    [['tls', 'A pack'], 2, 'invalid_name'],
    [['tls', 'tls@^1'], 2, 'usage'],
  ])('pins none of %j', async (names, status, code) => {
    const { folder, json } = makeProject()
    const run = await json('add', ...names)
    expect(run).toMatchObject({ status, output: { ok: false, error: { code } } })
    expect(run.output.error.hint).not.toBe('')
    expect(readdirSync(folder)).toEqual(['package.json'])
  })

  it('needs a catalog, a key, and an answer', async () => {
    const { folder, env } = makeProject()
    const add = async (changes: Record<string, string>): Promise<unknown> => {
      const options = { cwd: folder, env: { ...env, ...changes } }
      const { status, stdout } = await runInProcess(['add', 'tls', '--json'], options)
      const { code, message, hint } = JSON.parse(stdout).error
      expect(`${message} ${hint}`).not.toContain(env['PACK_KEY'])
      return { status, code }
    }
    expect(await add({ PACK_URL: '' })).toEqual({ status: 2, code: 'usage' })
    expect(await add({ PACK_KEY: '' })).toEqual({ status: 4, code: 'missing_api_key' })
    expect(await add({ PACK_KEY: `${env['PACK_KEY']}x` })).toEqual({ status: 4, code: 'invalid_api_key' })
    expect(await add({ PACK_URL: gone })).toEqual({ status: 5, code: 'unreachable' })
    expect(await add({ PACK_URL: 'no address' })).toEqual({ status: 2, code: 'invalid_option' })
    expect(readdirSync(folder)).toEqual(['package.json'])
  })

  it('pins version and preview with the key of a Free account, and says so', async () => {
    const { folder, env, json, readLock } = makeProject()
    const free = (...args: string[]): Promise<Printed> =>
      runInProcess(args, { cwd: folder, env: { ...env, PACK_KEY: api.free.key } })
    const added = await free('add', 'tls', 'codes')
    expect([added.status, added.stdout]).toEqual([0, expect.stringContaining('preview only')])
    expect(added.stderr).toContain('of 2 packs only version and preview are pinned')
    const { preview_sha256, ...pin } = readLock().packs['tls']!
    expect(preview_sha256).toBe(hash('sha256', tls.pack.preview_content))
    expect(JSON.stringify(pin)).not.toMatch(/sha256|digest/)
    expect((await free('add', 'tls')).stderr).toContain('has these pins')
    expect(JSON.parse((await free('install', '--json')).stdout)).toMatchObject({
      packs: [{ slug: 'codes' }, { slug: 'tls', version: '1.0.0', status: 'preview', file: null }],
    })
    expect(JSON.parse((await free('prompt', 'tls', '--json')).stdout).error.code).toBe('preview_only')
    expect(JSON.parse((await free('add', 'news', '--json', '--signer', 'A'.repeat(43))).stdout).ok).toBe(
      false,
    )
    const changed = await json('update', '--dry-run')
    expect(changed.output.packs).toMatchObject([{ status: 'changed' }, { status: 'changed' }])
    expect((await json('update')).status).toBe(0)
    expect(readLock().packs['tls']).toMatchObject({ pack_digest: tls.pack.pack_digest })
    expect(readLock().packs['tls']).not.toHaveProperty('preview_sha256')
    // A pin of the whole pack does not become one of the preview.
    expect(JSON.parse((await free('update', '--json')).stdout).error.code).toBe('preview_only')
    const lock = readLock()
    const wrong = { ...pin, preview_sha256: 'a'.repeat(64) }
    writeFileSync(join(folder, 'packs.lock'), serializeLock({ ...lock, packs: { tls: wrong } }))
    for (const command of ['install', 'update'])
      expect(JSON.parse((await free(command, '--json')).stdout).error.code).toBe('lock_mismatch')
  })

  it('sends a key over http to other machines only when told to', async () => {
    const { folder, env } = makeProject()
    // The name is not resolved: RFC 6761 reserves .invalid.
    const url = 'http://packs.invalid'
    const add = async (args: readonly string[], changes: Record<string, string> = {}): Promise<unknown> => {
      const run = await runInProcess(['add', 'tls', '--json', ...args], {
        cwd: folder,
        env: { ...env, ...changes },
      })
      expect(run.stdout).not.toContain(env['PACK_KEY'])
      return { status: run.status, code: JSON.parse(run.stdout).error.code }
    }
    const refused = { status: 4, code: 'insecure_url' }
    const tried = { status: 5, code: 'unreachable' }
    expect(await add(['--url', url])).toEqual(refused)
    expect(await add([], { PACK_URL: url })).toEqual(refused)
    expect(await add(['--url', url], { PACK_ALLOW_HTTP: '0' })).toEqual(refused)
    expect(await add(['--url', url], { PACK_ALLOW_HTTP: '1' })).toEqual(tried)
    expect(await add(['--url', url], { PACK_KEY: '' })).toEqual(tried)
  })

  it.each(['install', 'update', 'prompt tls'])(
    'refuses the key over http to other machines in `pack %s`',
    async (words) => {
      const { folder, env, json } = makeProject()
      expect((await json('add', 'tls')).status).toBe(0)
      const changes = { ...env, PACK_URL: 'http://packs.invalid' }
      const run = await runInProcess(words.split(' '), { cwd: folder, env: changes })
      expect(run).toMatchObject({
        status: 4,
        stdout: '',
        stderr:
          'error: over http, a key is sent to this machine only\nhint: use https, or set PACK_ALLOW_HTTP=1 if you trust every network in between\n',
      })
    },
  )

  it('names the pack and what to do, in words of the program', async () => {
    const { pack } = makeProject()
    expect((await pack('add', 'tls', '--url', gone)).stderr).toBe(
      'error: tls: the catalog cannot be reached\n' +
        'hint: check --url or PACK_URL, the network and any proxy, then try again\n',
    )
    expect((await pack('add', 'missing')).stderr).toBe(
      'error: there is no pack "missing"\nhint: check the slug on the website of the catalog\n',
    )
  })

  it('pins no version that only an earlier answer knows', async () => {
    const { folder, env, json } = makeProject()
    await json('add', 'news')
    rmSync(join(folder, 'packs.lock'))
    api.setMode('recovery')
    try {
      const run = await runInProcess(['add', 'news', '--json'], { cwd: folder, env })
      expect(run.status).toBe(5)
      expect(readdirSync(folder)).toEqual(['package.json'])
    } finally {
      api.setMode('online')
    }
  })

  it('keeps both pins of two programs at the same time', async () => {
    const { folder, env, readLock } = makeProject()
    const runs = await Promise.all(
      ['tls', 'codes'].map((name) => runPack(['add', name], { cwd: folder, env })),
    )
    expect(runs.map(({ status }) => status)).toEqual([0, 0])
    expect(Object.keys(readLock().packs)).toEqual(['codes', 'tls'])
    expect(readdirSync(folder).toSorted()).toEqual(['package.json', 'packs.lock'])
  })

  it('leaves the lock as it was when it is interrupted', async () => {
    const { folder, env, pack } = makeProject()
    await pack('add', 'codes')
    const before = readFileSync(join(folder, 'packs.lock'), 'utf8')
    const silent = createServer()
    const connected = new Promise((resolve) => silent.once('connection', resolve))
    await listen(silent)
    const child = startPack(['add', 'tls'], { cwd: folder, env: { ...env, PACK_URL: addressOf(silent) } })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await connected
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    silent.close()
    expect(readFileSync(join(folder, 'packs.lock'), 'utf8')).toBe(before)
    expect(readdirSync(folder).toSorted()).toEqual(['package.json', 'packs.lock'])
  })
})

describe('pack install', () => {
  it('restores the versions of the lock, and is offline when they are cached', async () => {
    const project = makeProject()
    await project.pack('add', 'news@1.0.0', 'tls')
    const lock = readFileSync(join(project.folder, 'packs.lock'))
    rmSync(project.env['XDG_CACHE_HOME']!, { recursive: true })
    const first = await project.json('install', '--out', 'packs')
    expect(first).toMatchObject({
      status: 0,
      output: {
        ok: true,
        lock: 'packs.lock',
        packs: [
          { slug: 'news', version: '1.0.0', status: 'downloaded', file: 'packs/news.pack.json' },
          { slug: 'tls', version: '1.0.0', status: 'downloaded', file: 'packs/tls.pack.json' },
        ],
      },
    })
    const check = await project.pack('check', 'packs')
    expect(check.status).toBe(0)
    for (const url of [gone, '']) {
      const env = { ...project.env, PACK_URL: url, PACK_KEY: '' }
      const again = await runInProcess(['install'], { cwd: project.folder, env })
      expect(again).toEqual({
        status: 0,
        stdout: '',
        stderr: 'restored 2 packs of packs.lock, 0 downloaded\n',
      })
    }
    expect(readFileSync(join(project.folder, 'packs.lock'))).toEqual(lock)
  })

  it('refuses a pack with another digest, and stores nothing of it', async () => {
    const project = makeProject()
    await project.pack('add', 'tls')
    rmSync(project.env['XDG_CACHE_HOME']!, { recursive: true })
    const lock = project.readLock()
    const pin = { ...lock.packs['tls'], pack_digest: '0'.repeat(64) }
    writeFileSync(join(project.folder, 'packs.lock'), JSON.stringify({ ...lock, packs: { tls: pin } }))
    const run = await project.json('install', '--out', 'packs')
    expect(run).toMatchObject({ status: 4, output: { ok: false, error: { code: 'lock_mismatch' } } })
    expect(readdirSync(project.folder).toSorted()).toEqual(['package.json', 'packs.lock'])
    expect(listCached(project)).toEqual([])
  })

  it('says where a pack is missing, and that the cache cannot keep it', async () => {
    const project = makeProject()
    await project.pack('add', 'tls')
    rmSync(project.env['XDG_CACHE_HOME']!, { recursive: true })
    const install = (env: Record<string, string>, ...args: string[]): Promise<Printed> =>
      runInProcess(['install', '--json', ...args], { cwd: project.folder, env: { ...project.env, ...env } })
    const away = await install({ PACK_URL: '' })
    expect(JSON.parse(away.stdout).error).toMatchObject({ code: 'not_cached' })
    expect(away.status).toBe(1)
    const cache = makeFolder({ file: '' })
    const client = join(cache, 'packs/client')
    mkdirSync(client, { recursive: true, mode: 0o700 })
    chmodSync(client, 0o777)
    const places = [
      [cache, `${client} can be written by others`],
      [join(cache, 'file'), `${join(cache, 'file/packs/client')} is a file, or below one`],
    ] as const
    const TMPDIR = makeFolder()
    for (const [XDG_CACHE_HOME, reason] of places) {
      const failed = await install({ XDG_CACHE_HOME, TMPDIR })
      expect(JSON.parse(failed.stdout).error).toMatchObject({
        code: 'cache_unusable',
        message: `the cache cannot keep tls: ${reason}`,
      })
      expect(failed.status).toBe(1)
    }
    const unusable = { XDG_CACHE_HOME: join(cache, 'file'), TMPDIR }
    expect((await install(unusable, '--out', 'packs')).status).toBe(0)
    expect(readdirSync(join(project.folder, 'packs'))).toEqual(['tls.pack.json'])
  })

  it('replaces an empty folder where an entry belongs, and names one with files', async () => {
    const project = makeProject()
    await project.pack('add', 'tls')
    const { pack_digest } = project.readLock().packs['tls']!
    const name = createHash('sha256').update(`pack/${pack_digest}`).digest('hex')
    const entry = join(project.env['XDG_CACHE_HOME']!, 'packs/client', name)
    rmSync(entry)
    mkdirSync(join(entry, 'full'), { recursive: true })
    expect((await project.json('install')).output.error).toMatchObject({
      code: 'cache_unusable',
      message: `the cache cannot keep tls: ${entry} is a folder with files where a cache entry should be; remove it`,
    })
    rmdirSync(join(entry, 'full'))
    expect((await project.json('install')).output.packs).toMatchObject([{ status: 'downloaded' }])
    expect((await project.json('install')).output.packs).toMatchObject([{ status: 'cached' }])
  })

  it.each([
    ['{"lockfile_version": 1,', 'packs.lock: '],
    ['{\n<<<<<<< HEAD\n', 'packs.lock: The lock cannot be used: line 2 is a git conflict marker'],
    ['{"lockfile_version": 1, "packs": {"tls": {"range": "nonsense"}}}', 'packs["tls"].'],
  ])('names the place of nonsense in a lock: %s', async (text, place) => {
    const { json } = makeProject({ 'packs.lock': text })
    for (const command of ['install', 'update', 'add', 'remove', 'prompt', 'export', 'mcp']) {
      const named = /add|remove|prompt|export/.test(command) ? ['tls'] : []
      const more = { export: ['-o', 'skills'], mcp: ['--lock', 'packs.lock'] }[command] ?? []
      const run = await json(command, ...named, ...more)
      expect(run).toMatchObject({ status: 1, output: { error: { code: 'invalid_lock' } } })
      expect(run.output.error.message).toContain(place)
    }
  })

  it('needs a lock', async () => {
    const run = await makeProject().pack('install')
    expect(run).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: packs.lock does not exist\nhint: pin packs with `pack add NAME`\n',
    })
  })
})

describe('pack update', () => {
  it('shows and pins what is newer, within the range and beyond it', async () => {
    const { folder, pack, json, readLock } = makeProject()
    await pack('add', 'news@1.0.0', 'tls')
    expect(await pack('update', '--dry-run')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'would update 0 packs in packs.lock, 2 unchanged\n',
    })
    const latest = await pack('update', 'news', '--latest', '--dry-run')
    expect(latest).toMatchObject({ status: 1, stderr: 'would update 1 pack in packs.lock, 0 unchanged\n' })
    expect(latest.stdout).toMatch(/\nnews +1\.0\.0 → 2\.0\.0 +\^2\.0\.0 +\d+ /)
    expect((await json('update')).output.packs).toMatchObject([
      { slug: 'news', status: 'unchanged' },
      { slug: 'tls', status: 'unchanged' },
    ])
    const { packs, ...rest } = readLock()
    const news = { ...packs['news'], range: '^1' }
    writeFileSync(join(folder, 'packs.lock'), JSON.stringify({ ...rest, packs: { ...packs, news } }))
    const before = readLock()
    const plan = await json('update', '--dry-run')
    expect(plan).toMatchObject({ status: 1, output: { ok: false, dry_run: true } })
    expect(plan.output.packs).toMatchObject([
      { slug: 'news', range: '^1', status: 'changed', before: '1.0.0', version: '1.1.0' },
      { slug: 'tls', status: 'unchanged' },
    ])
    expect(readLock()).toEqual(before)
    const update = await pack('update', 'news')
    expect(update).toMatchObject({ status: 0, stderr: 'updated 1 pack in packs.lock, 0 unchanged\n' })
    expect(update.stdout).toMatch(/\nnews +1\.0\.0 → 1\.1\.0 +\^1 +\d+ +-?\d+\.\d % +unsigned\n$/)
    expect(readLock().packs['news']).toMatchObject({ range: '^1', version: '1.1.0' })
    expect((await json('update', '--latest')).output.packs).toMatchObject([
      { slug: 'news', status: 'changed', before: '1.1.0', version: '2.0.0', range: '^2.0.0' },
      { slug: 'tls', status: 'unchanged' },
    ])
    const error = { code: 'not_in_lock', hint: 'it has news, tls' }
    expect(await json('update', 'missing')).toMatchObject({ status: 1, output: { error } })
  })
})

describe('a pin of another pack than the catalog has', () => {
  it.each(['pack_digest', 'sha256'] as const)('is refused: %s', async (field) => {
    const { folder, json, pack, readLock } = makeProject()
    await pack('add', 'tls@1.0.0', 'codes')
    const { packs, ...rest } = readLock()
    const pin = { ...packs['tls'], pack_digest: 'a'.repeat(64), [field]: 'b'.repeat(64) }
    writeFileSync(join(folder, 'packs.lock'), JSON.stringify({ ...rest, packs: { ...packs, tls: pin } }))
    const before = readLock()
    for (const args of [
      ['add', 'tls'],
      ['add', 'tls@^1', 'news'],
      ['update'],
      ['update', '--dry-run'],
      ['update', 'tls', '--latest'],
    ]) {
      const [command = '', ...names] = args
      expect(await json(command, ...names)).toMatchObject({
        status: 4,
        output: {
          ok: false,
          error: {
            code: 'lock_mismatch',
            message: `packs.lock pins tls 1.0.0 with the digest ${pin.pack_digest.slice(0, 12)}…, but that of the catalog is ${tls.pack.pack_digest.slice(0, 12)}…; a published version never changes`,
            hint: 'restore packs.lock from version control; if the catalog is right, run `pack remove tls` and `pack add tls`',
          },
        },
      })
    }
    expect(readLock()).toEqual(before)
    await pack('remove', 'tls')
    expect((await json('add', 'tls')).output.packs).toMatchObject([{ status: 'added' }])
  })
})

describe('a pin that was yanked', () => {
  /** The API notices changes of the catalog with a delay, in the newest version last: it is cached. */
  async function yank(): Promise<void> {
    await api.catalog.packs.yank('old', '1.0.0', 'wrong ports', { kind: 'system', id: null })
    await vi.waitFor(
      async () => {
        const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/packs/old`, {
          headers: { 'x-api-key': api.pro.key },
        })
        expect(response.status).toBe(404)
      },
      { timeout: 60_000 },
    )
  }

  it('stays, with a warning', async () => {
    const projects = [makeProject(), makeProject()] as const
    await projects[0].pack('add', 'old@1.0.0', 'tls')
    await projects[1].pack('add', 'old', 'tls')
    await yank()
    const warning =
      'warning: old 1.0.0 was yanked (wrong ports); it is still installed, because it is pinned\n'
    for (const { env, pack, json, readLock } of projects) {
      const before = readLock()
      for (const options of [[], ['--latest']]) {
        expect(await pack('update', ...options)).toEqual({
          status: 0,
          stdout: '',
          stderr: `${warning}updated 0 packs in packs.lock, 2 unchanged\n`,
        })
        expect((await json('update', ...options)).output.packs).toMatchObject([
          { slug: 'old', status: 'unchanged', yanked: true },
          { slug: 'tls', status: 'unchanged', yanked: false },
        ])
      }
      expect(readLock()).toEqual(before)
      rmSync(env['XDG_CACHE_HOME']!, { recursive: true })
      expect((await json('install')).output.packs).toMatchObject([{ yanked: true }, { yanked: false }])
      rmSync(env['XDG_CACHE_HOME']!, { recursive: true })
      const restored = 'restored 2 packs of packs.lock'
      expect((await pack('install')).stderr).toBe(`${warning}${restored}, 2 downloaded\n`)
      expect((await pack('install')).stderr).toBe(`${restored}, 0 downloaded\n`)
    }
  })

  it('is added only where the version is named, with a warning', async () => {
    const { folder, pack, json, readLock } = makeProject()
    for (const [name, which] of [
      ['old', 'old'],
      ['old@^1', 'old in the range ^1'],
      ['old@=1.0.0', 'old in the range =1.0.0'],
    ] as const) {
      expect(await pack('add', name, 'tls')).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `error: every version of ${which} was yanked; the newest: 1.0.0 (wrong ports)\n` +
          'hint: to pin it all the same, name the version: `pack add old@1.0.0`\n',
      })
    }
    expect((await json('add', 'old')).output.error).toMatchObject({ code: 'no_matching_version' })
    expect(readdirSync(folder)).toEqual(['package.json'])
    expect(await pack('add', 'old@1.0.0', 'tls')).toMatchObject({
      status: 0,
      stderr:
        'warning: old 1.0.0 was yanked (wrong ports); it is pinned, because this version was named\npinned 2 packs in packs.lock\n',
    })
    expect(readLock().packs['old']).toMatchObject({ range: '1.0.0', version: '1.0.0' })
    expect((await json('add', 'old@1.0.0', 'tls')).output.packs).toMatchObject([
      { slug: 'old', yanked: true },
      { slug: 'tls', yanked: false },
    ])
  })

  it('is passed over by a range that has another version', async () => {
    await api.catalog.packs.yank('news', '1.1.0', 'too early', { kind: 'system', id: null })
    const { pack, readLock } = makeProject()
    expect(await pack('add', 'news@^1')).toMatchObject({ status: 0, stderr: 'pinned 1 pack in packs.lock\n' })
    expect(readLock().packs['news']).toMatchObject({ version: '1.0.0' })
  })
})

describe('pack remove', () => {
  it('removes all packs that are named, or none', async () => {
    const { pack, json, readLock } = makeProject()
    await pack('add', 'tls', 'codes')
    expect(await json('remove', 'tls', 'constructor')).toMatchObject({
      status: 1,
      output: { error: { code: 'not_in_lock' } },
    })
    expect(Object.keys(readLock().packs)).toEqual(['codes', 'tls'])
    expect(await pack('remove', 'tls')).toEqual({
      status: 0,
      stdout: 'removed tls 1.0.0 from packs.lock\n',
      stderr: '',
    })
    expect((await json('remove', 'codes')).output).toEqual({
      ok: true,
      lock: 'packs.lock',
      removed: [{ slug: 'codes', version: '1.0.0' }],
    })
    expect(readLock()).toEqual({ lockfile_version: 1, packs: {} })
  })
})

describe('pack prompt and pack export with names of a lock', () => {
  it('give the same bytes as the files, with the catalog gone', async () => {
    const { folder, env, pack } = makeProject()
    await pack('add', 'tls', 'codes', '--lock', 'agents.lock')
    await pack('install', '--lock', 'agents.lock', '--out', 'packs')
    const offline = { cwd: folder, env: { ...env, PACK_URL: gone, PACK_KEY: '' } }
    const files = await runInProcess(['prompt', 'packs/tls.pack.json', 'packs/codes.pack.json'], offline)
    const lock = ['--lock', 'agents.lock']
    const names = await runInProcess(['prompt', 'tls', 'codes@^1', 'tls', ...lock], offline)
    expect(names.status).toBe(0)
    expect(names.stdout).toBe(files.stdout)
    const both = await runInProcess(['prompt', 'tls', 'packs/codes.pack.json', ...lock], offline)
    expect(both.stdout).toBe(files.stdout)
    const json = await runInProcess(['prompt', 'tls', '--json', ...lock], offline)
    expect(JSON.parse(json.stdout).packs).toMatchObject([{ slug: 'tls', file: 'tls@1.0.0' }])
    const skill = await runInProcess(['export', 'tls', '-o', 'skills', ...lock], offline)
    expect(skill.status).toBe(0)
    expect(readFileSync(join(folder, 'skills/tls/reference.md'), 'utf8')).toContain(TLS)
  })

  it('prefer a file, and name what a lock does not have', async () => {
    const { folder, env, json, pack } = makeProject()
    await pack('add', 'tls')
    expect((await json('prompt', 'packs.lock')).output.packs).toMatchObject([{ file: 'tls@1.0.0' }])
    const named = await json('prompt', 'codes', '--url', env['PACK_URL']!)
    expect(named.output.packs).toMatchObject([{ slug: 'codes', file: 'codes' }])
    writeFileSync(join(folder, 'tls'), '{}')
    expect((await json('prompt', 'tls')).output.error).toMatchObject({ code: 'invalid_pack', file: 'tls' })
    expect((await pack('prompt', 'tls@1.0.0')).status).toBe(0)
    rmSync(join(folder, 'tls'))
    expect((await json('prompt', 'tls@^2')).output.error).toMatchObject({ code: 'not_in_lock' })
    expect((await json('prompt', 'codes')).output.error).toMatchObject({
      code: 'file_not_found',
      hint: 'check the name of the file, or pin a pack of a catalog with `pack add codes`',
    })
  })
})

describe('a pack whose patch may show people another text than models read', () => {
  async function serveKeys(
    isForged: boolean,
    hasPatch = true,
  ): Promise<{ one: Pack; body: string; project: Project }> {
    const body = `# Keys\n\n${'Do not turn the key, whatever   the lock says.   \n\n\n\n'.repeat(9)}`
    const { pack } = await buildVersion({ slug: 'keys', title: 'Keys', body })
    expect(pack.patch).not.toEqual([])
    const text = decode(pack.content, pack.rosetta)
    const patch: Pack['patch'] = [[text.indexOf('not '), 4, '']]
    const { pack_digest: _, ...rest } = pack
    const sha256 = hash('sha256', text.replace('not ', ''))
    const fields = { sha256, patch, patch_sha256: digestRows(patch) }
    const one = isForged ? sealPack({ ...rest, ...fields }) : pack
    const server = await listen(
      createHttpServer((_request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ ...one, preview: false, ...(!hasPatch && { patch: undefined }) }))
      }),
    )
    onTestFinished(() => void server.close())
    const project = makeProject()
    project.env['PACK_URL'] = addressOf(server)
    return { one, body, project }
  }

  it('is pinned if it is honest, and restores its source without the catalog', async () => {
    const { body, project } = await serveKeys(false)
    expect(await project.pack('add', 'keys', '--json')).toMatchObject({ status: 0 })
    project.env['PACK_URL'] = gone
    expect(await project.pack('install', '--out', 'packs')).toMatchObject({ status: 0 })
    const decoded = await runInProcess(['decode', 'packs/keys.pack.json'], { cwd: project.folder })
    expect(decoded).toMatchObject({ status: 0, stdout: body })
  })

  it.each([true, false])(
    'is refused if it is forged, whether it comes with its patch: %s',
    async (hasPatch) => {
      const {
        one,
        project: { pack: run, folder },
      } = await serveKeys(true, hasPatch)
      const added = await run('add', 'keys', '--json')
      expect(added.status).toBe(1)
      expect(JSON.parse(added.stdout)).toMatchObject({ error: { code: 'invalid_patch' } })
      expect(readdirSync(folder)).toEqual(['package.json'])
      writeFileSync(
        join(folder, 'packs.lock'),
        serializeLock({ lockfile_version: 1, packs: { keys: createPin(one, '*') } }),
      )
      const installed = await run('install', '--out', 'packs', '--json')
      expect(JSON.parse(installed.stdout)).toMatchObject({ error: { code: 'invalid_patch' } })
      expect(readdirSync(folder).toSorted()).toEqual(['package.json', 'packs.lock'])
    },
  )
})
