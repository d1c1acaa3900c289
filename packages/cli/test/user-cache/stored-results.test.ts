import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { digestProgram, loadStoredIndex, type StoredIndex } from '../../src/user-cache/stored-results.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const REDIS = '# Redis\n\nIn memory.\n\n## Key expiration\n\nA key is removed when its timeout has passed.\n'
const TEA = '# Green tea\n\nSteam it at a low temperature.\n'

interface Project {
  readonly cwd: string
  /** Runs a command with a cache of its own. */
  readonly run: (...args: string[]) => Promise<Printed>
  readonly listIndexes: () => string[]
}

/** Creates a project with sources in `docs`, their packs in `dist`, and a damaged one. */
async function makeProject(): Promise<Project> {
  const cwd = makeFolder({ 'docs/redis.md': REDIS, 'docs/tea.md': TEA })
  const cache = makeFolder()
  chmodSync(cache, 0o700)
  const env = { XDG_CACHE_HOME: cache }
  const run = (...args: string[]): Promise<Printed> => runInProcess(args, { cwd, env })
  expect(await run('build', 'docs')).toMatchObject({ status: 0 })
  writeFileSync(join(cwd, 'dist/cut.pack.json'), '{"format":')
  const folder = join(cache, 'packs')
  const builds = listFiles(folder)
  return { cwd, run, listIndexes: () => listFiles(folder).filter((path) => !builds.includes(path)) }
}

function listFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

const COMMANDS: readonly (readonly string[])[] = [
  ['search', 'key expiraton', '--json'],
  ['search', 'key expiration', 'dist'],
  ['context', 'key expiraton', 'dist'],
  ['context', 'key expiration', 'docs', '--json'],
]

describe('a stored index', () => {
  it.each(COMMANDS)('gives the same output and warnings as a new one: %s %s', async (...args) => {
    const { run, listIndexes } = await makeProject()
    const without = await run(...args)
    expect(without).toMatchObject({ status: 0 })
    expect(without.stdout).toContain('expir')
    const isDamaged = !args.includes('docs')
    expect((without.stderr + without.stdout).includes('dist/cut.pack.json')).toBe(isDamaged)
    const [index, ...others] = listIndexes()
    expect(others).toEqual([])
    const { ino } = statSync(index!)
    expect(await run(...args)).toEqual(without)
    expect(listIndexes().map((path) => statSync(path).ino)).toEqual([ino])
  })

  it.each([
    ['damaged', (path: string) => writeFileSync(path, readFileSync(path).fill(0, 300, 309))],
    ['cut', (path: string) => truncateSync(path, 200)],
    ['empty', (path: string) => truncateSync(path, 0)],
  ])('is built again if it is %s', async (_name, change) => {
    const { run, listIndexes } = await makeProject()
    const first = await run('context', 'key expiration', 'docs')
    const [index] = listIndexes()
    const whole = readFileSync(index!)
    change(index!)
    expect(await run('context', 'key expiration', 'docs')).toEqual(first)
    expect(listIndexes().map((path) => readFileSync(path))).toEqual([whole])
  })

  it('is that of other files after a change, which has the same size and time', async () => {
    const { cwd, run } = await makeProject()
    const file = join(cwd, 'docs/tea.md')
    const { atime, mtime } = statSync(file)
    expect((await run('context', 'low temperature', 'docs')).stdout).toContain('at a low temperature')
    writeFileSync(file, TEA.replace('low', 'odd'))
    utimesSync(file, atime, mtime)
    expect((await run('context', 'low temperature', 'docs')).stdout).toContain('at a odd temperature')
  })

  it('is another one if a file is renamed, and if it cannot be read', async () => {
    const { cwd, run } = await makeProject()
    expect((await run('context', 'low temperature', 'docs')).stdout).toContain('<doc id="tea#')
    renameSync(join(cwd, 'docs/tea.md'), join(cwd, 'docs/sencha.md'))
    expect((await run('context', 'low temperature', 'docs')).stdout).toContain('<doc id="sencha#')
    writeFileSync(join(cwd, 'docs/sencha.md'), Buffer.from([0xff]))
    for (const _ of [1, 2]) {
      const { stderr } = await run('context', 'low temperature', 'docs')
      expect(stderr).toContain('warning: docs/sencha.md is skipped: ')
    }
  })

  it('is not made of no packs', async () => {
    const { cwd, run, listIndexes } = await makeProject()
    mkdirSync(join(cwd, 'none'))
    expect((await run('context', 'key', 'none')).stderr).toContain('no packs and no markdown in none')
    expect(listIndexes()).toEqual([])
  })
})

describe('loadStoredIndex', () => {
  const build = (index: Uint8Array): (() => Promise<StoredIndex<string[]>>) =>
    vi.fn(() => Promise.resolve({ index, notes: ['a note\n'] }))
  let cache: string

  beforeEach(() => {
    cache = makeFolder()
    chmodSync(cache, 0o700)
    vi.stubEnv('XDG_CACHE_HOME', cache)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  })

  it('returns what was built for the same inputs and program', async () => {
    const [first, second] = [build(Uint8Array.of(10, 2, 3)), build(Uint8Array.of(4))]
    await loadStoredIndex('a', first)
    const found = await loadStoredIndex('a', second)
    expect([...found.index, ...found.notes]).toEqual([10, 2, 3, 'a note\n'])
    expect(second).not.toHaveBeenCalled()
    expect([...(await loadStoredIndex('b', second)).index]).toEqual([4])
    // Another version of Node counts as another program.
    vi.stubGlobal('process', Object.create(process, { version: { value: 'v0.0.0' } }))
    expect([...(await loadStoredIndex('a', second)).index]).toEqual([4])
  })

  it('may be called twice at once', async () => {
    const both = [1, 2].map(() => loadStoredIndex('a', build(Uint8Array.of(10, 2, 3))))
    const last = loadStoredIndex('a', build(Uint8Array.of(10, 2, 3)))
    for (const { index } of await Promise.all([...both, last])) expect([...index]).toEqual([10, 2, 3])
    expect(listFiles(join(cache, 'packs'))).toHaveLength(1)
  })

  it('does not store an index that is too large', async () => {
    const { notes } = await loadStoredIndex('a', build(new Uint8Array(176 * 1024 * 1024)))
    expect(notes).toEqual(['a note\n'])
    expect(listFiles(join(cache, 'packs'))).toEqual([])
  })
})

function makeProgram(): string[] {
  const folder = makeFolder({ 'main.js': 'one', 'worker.js': 'two' })
  return ['main.js', 'worker.js'].map((name) => join(folder, name))
}

describe('digestProgram', () => {
  it('is the same for the same files in another folder', () => {
    expect(digestProgram(makeProgram())).toBe(digestProgram(makeProgram()))
  })

  it('changes with a file, and with where one ends and the next begins', () => {
    const files = makeProgram()
    const before = digestProgram(files)
    writeFileSync(files[1]!, 'owt')
    const changed = digestProgram(files)
    writeFileSync(files[0]!, 'onet')
    writeFileSync(files[1]!, 'wo')
    expect(new Set([before, changed, digestProgram(files)]).size).toBe(3)
  })
})
