import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const CACHE = 'node_modules/.cache/packs'
const LINE = 'Every certificate transparency log entry names a certificate transparency log.\n'

/** Creates a project with two sources: one that saves something, and one with an info. */
function makeProject(): string {
  return makeFolder({
    'package.json': '{}',
    'node_modules/.keep': '',
    'docs/logs.md': `---\ntitle: Logs\n---\n${LINE.repeat(40)}`,
    'docs/short.md': '# Short\n',
  })
}

async function build(cwd: string, ...options: string[]): Promise<Printed> {
  const run = await runInProcess(['build', 'docs', '--verbose', ...options], { cwd })
  expect(run.status).toBe(0)
  return run
}

/** Removes what differs between the first and the second build: the number of used entries and of written packs, and their folder. */
function dropCounts({ stdout, stderr }: Printed): string {
  return stdout + stderr.replace(/^(?:note: build cache|wrote|next:) .*$/gm, '')
}

/** Lists one entry for each pack, and one for what dense-2 would save. */
function listEntries(cwd: string): string[] {
  return readdirSync(join(cwd, CACHE)).filter((name) => /^[0-9a-f]{64}$/.test(name))
}

function readPacks(cwd: string): string[] {
  return ['logs', 'short'].map((slug) => readFileSync(join(cwd, `dist/${slug}.pack.json`), 'utf8'))
}

describe('the build cache', () => {
  it('gives the same packs, table and messages again', async () => {
    const cwd = makeProject()
    const first = await build(cwd)
    expect(first.stderr).toContain(`note: build cache ${CACHE}: 0 used\n`)
    expect(first.stderr).toContain('docs/short.md:1:1 info Assumed')
    const packs = readPacks(cwd)
    const second = await build(cwd, '-o', 'again')
    expect(second.stderr).toContain(`note: build cache ${CACHE}: 2 used\n`)
    expect(dropCounts(second)).toBe(dropCounts(first))
    expect(readFileSync(join(cwd, 'again/logs.pack.json'), 'utf8')).toBe(packs[0])
    const json = await runInProcess(['build', 'docs', '--json'], { cwd })
    const cold = await runInProcess(['build', 'docs', '--json', '--no-cache'], { cwd })
    expect(json.stdout).toBe(cold.stdout)
  })

  it('builds only what has changed: an edit, another name, another option', async () => {
    const cwd = makeProject()
    await build(cwd)
    writeFileSync(join(cwd, 'docs/short.md'), '# Longer\n')
    expect((await build(cwd)).stderr).toContain(': 1 used\n')
    expect(readFileSync(join(cwd, 'dist/short.pack.json'), 'utf8')).toContain('# Longer')
    renameSync(join(cwd, 'docs/short.md'), join(cwd, 'docs/other.md'))
    const renamed = await build(cwd)
    expect(renamed.stderr).toContain(': 1 used\n')
    expect(renamed.stderr).toContain('docs/other.md:1:1 info')
    expect((await build(cwd, '--scheme', 'none')).stderr).toContain(': 0 used\n')
    // The line on dense-2 at the end of a build has built them so.
    expect((await build(cwd, '--scheme', 'dense-2')).stderr).toContain(': 2 used\n')
    const config = '{"worthHeader":{"percent":0,"tokens":0}}'
    writeFileSync(join(cwd, 'packs.config.json'), config)
    expect((await build(cwd)).stderr).toContain(': 0 used\n')
    rmSync(join(cwd, 'packs.config.json'))
    expect((await build(cwd)).stderr).toContain(': 2 used\n')
  })

  it('is not touched with --no-cache', async () => {
    const cwd = makeProject()
    expect((await build(cwd, '--no-cache')).stderr).not.toContain('build cache')
    expect(readdirSync(join(cwd, 'node_modules'))).toEqual(['.keep'])
    expect((await build(cwd)).stderr).toContain(': 0 used\n')
    expect((await build(cwd, '--no-cache')).stderr).not.toContain('build cache')
    expect((await build(cwd)).stderr).toContain(': 2 used\n')
  })

  it.each<[string, (entry: string, name: string, all: readonly string[]) => string]>([
    ['is cut short', (entry) => entry.slice(0, -10)],
    ['is empty', () => ''],
    ['has a changed letter in the pack', (entry) => entry.replace('"content": "', '"content": "x')],
    ['has a changed number', (entry) => entry.replace(/"entries":\d+/, '"entries":77')],
    ['belongs to another source', (entry, _, all) => all.find((other) => other !== entry)!],
  ])('builds a source again whose entry %s', async (_, damage) => {
    const cwd = makeProject()
    await build(cwd)
    const packs = readPacks(cwd)
    const names = listEntries(cwd)
    const entries = names.map((name) => readFileSync(join(cwd, CACHE, name), 'utf8'))
    for (const [at, name] of names.entries()) {
      writeFileSync(join(cwd, CACHE, name), damage(entries[at]!, name, entries))
    }
    const run = await build(cwd)
    expect(run.stderr).toContain(`note: build cache ${CACHE}: 0 used, 2 damaged and built again\n`)
    expect(readPacks(cwd)).toEqual(packs)
    expect((await build(cwd)).stderr).toContain(': 2 used\n')
  })

  it('believes no entry of somebody else, who can compute any digest', async () => {
    const cwd = makeProject()
    await build(cwd)
    const packs = readPacks(cwd)
    for (const name of listEntries(cwd)) {
      const entry = readFileSync(join(cwd, CACHE, name), 'utf8').slice(65)
      const data = entry
        .replace(/"messages":\[\{.*?\}\]/, '"messages":[]')
        .replace('"title": "Logs"', '"title": "Lies"')
        .replace(/"tokens":\d+/, '"tokens":1')
      const digest = createHash('sha256').update(`${name}\n${data}`).digest('hex')
      writeFileSync(join(cwd, CACHE, name), `${digest}\n${data}`)
    }
    const run = await build(cwd)
    expect(run.stderr).toContain('docs/short.md:1:1 info Assumed')
    expect(run.stderr).toContain(': 0 used, 2 damaged and built again\n')
    expect(readPacks(cwd)).toEqual(packs)
    expect(run.stdout).not.toMatch(/\b1 tokens/)
  })

  it('builds anew what another user or machine has stored', async () => {
    const cwd = makeProject()
    const env = (name: string): { env: Record<string, string> } => ({
      env: { XDG_CACHE_HOME: join(cwd, name) },
    })
    const args = ['build', 'docs', '--verbose']
    await runInProcess(args, { cwd, ...env('one') })
    expect((await runInProcess(args, { cwd, ...env('one') })).stderr).toContain(': 2 used\n')
    expect((await runInProcess(args, { cwd, ...env('two') })).stderr).toContain(': 0 used, 2 damaged')
    expect((await runInProcess(args, { cwd, ...env('two') })).stderr).toContain(': 2 used\n')
    const key = join(cwd, 'two/packs/build-cache-key')
    expect(statSync(key)).toMatchObject({ size: 32, mode: 0o100600 })
    writeFileSync(key, 'cut')
    expect((await runInProcess(args, { cwd, ...env('two') })).stderr).toContain(': 0 used, 2 damaged')
    expect((await runInProcess(args, { cwd, ...env('two') })).stderr).toContain(': 2 used\n')
  })

  it('can be read by its user only, and is not used through a link', async () => {
    const cwd = makeProject()
    await build(cwd)
    const mode = (name: string): number => statSync(join(cwd, CACHE, name)).mode & 0o777
    const modes = listEntries(cwd).map(mode)
    expect(modes).toHaveLength(4)
    expect([mode('.'), new Set(modes)]).toEqual([0o700, new Set([0o600])])
    renameSync(join(cwd, CACHE), join(cwd, 'elsewhere'))
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, CACHE))
    const before = readdirSync(join(cwd, 'elsewhere'))
    expect((await build(cwd)).stderr).toMatch(/: 0 used; it cannot be written: EEXIST/)
    expect(readdirSync(join(cwd, 'elsewhere'))).toEqual(before)
  })

  it('fails no build where it cannot be written, and says so only with --verbose', async () => {
    const cwd = makeProject()
    mkdirSync(join(cwd, 'node_modules/.cache'))
    writeFileSync(join(cwd, CACHE), 'a file')
    chmodSync(join(cwd, CACHE), 0o400)
    expect((await build(cwd)).stderr).toMatch(
      /^note: build cache .*: 0 used; it cannot be written: EEXIST.*$/m,
    )
    const quiet = await runInProcess(['build', 'docs'], { cwd })
    expect(quiet.status).toBe(0)
    expect(quiet.stderr).not.toContain('cache')
    expect(readFileSync(join(cwd, CACHE), 'utf8')).toBe('a file')
  })

  it('serves several builds at the same time', async () => {
    const cwd = makeProject()
    const folders = ['one', 'two', 'three']
    const runs = await Promise.all(
      folders.map((folder) => runPack(['build', 'docs', '--verbose', '-o', folder], { cwd })),
    )
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0])
    expect(new Set(runs.map(dropCounts)).size).toBe(1)
    expect(listEntries(cwd)).toHaveLength(4)
    expect(readdirSync(join(cwd, CACHE)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    const again = await runPack(['build', 'docs', '--verbose'], { cwd })
    expect(again.stderr).toContain(': 2 used\n')
  })

  it('does not keep a source that failed', async () => {
    const cwd = makeFolder({
      'package.json': '{}',
      'node_modules/.keep': '',
      'docs/bad.md': '---\nslug: x\nslug: y\n---\nText.\n',
    })
    for (const _ of [1, 2]) {
      const run = await runInProcess(['build', 'docs', '--verbose'], { cwd })
      expect(run.status).toBe(1)
      expect(run.stderr).toContain('docs/bad.md:3:1 error The key "slug" occurs twice')
    }
    expect(existsSync(join(cwd, CACHE))).toBe(false)
  })
})
