import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack, type Run } from '../../../test-kit/test/run-pack.ts'

const SOURCE = `---\nslug: notes\ntitle: T\ndomain: Guides\nsubdomain: S\ndifficulty: beginner\n---\nText.\n`

describe('outputs of pack build', () => {
  it.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('does not overwrite a source through %s, and builds the others', async (_, link) => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'other.md': SOURCE.replace('notes', 'other') })
    mkdirSync(join(cwd, 'out'))
    link(join(cwd, 'notes.md'), join(cwd, 'out/notes.pack.json'))
    const run = await runInProcess(['build', 'notes.md', 'other.md', '-o', 'out'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(
      'notes.md error cannot write out/notes.pack.json: it is a source of this build file_exists\n  hint: choose another output path',
    )
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toBe(SOURCE)
    expect(JSON.parse(readFileSync(join(cwd, 'out/other.pack.json'), 'utf8')).content).toBe('Text.\n')
  })

  it.each([
    ['to a file', 'precious'],
    ['to nothing', 'absent'],
    ['to a folder', 'folder'],
  ])('does not write through a symbolic link %s, and builds the others', async (_, target) => {
    const cwd = makeFolder({
      'notes.md': SOURCE,
      'other.md': SOURCE.replace('notes', 'other'),
      precious: 'old',
      'folder/a': '',
    })
    mkdirSync(join(cwd, 'out'))
    symlinkSync(join(cwd, target), join(cwd, 'out/notes.pack.json'))
    const run = await runInProcess(['build', '.', '-o', 'out'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(
      'notes.md error cannot write out/notes.pack.json: it is a symbolic link linked_output\n  hint: remove the link,',
    )
    expect(readdirSync(cwd)).toEqual(['folder', 'notes.md', 'other.md', 'out', 'precious'])
    expect(readdirSync(join(cwd, 'folder'))).toEqual(['a'])
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('old')
    expect(readdirSync(join(cwd, 'out'))).toEqual(['.packs.json', 'notes.pack.json', 'other.pack.json'])
  })

  it('writes into a folder that is given as a symbolic link', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'real/a': '' })
    symlinkSync('real', join(cwd, 'out'))
    expect((await runInProcess(['build', 'notes.md', '-o', 'out'], { cwd })).status).toBe(0)
    expect(readdirSync(join(cwd, 'real'))).toEqual(['.packs.json', 'a', 'notes.pack.json'])
  })

  it('lists the written packs when the report cannot be written', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, busy: '' })
    const args = ['build', 'notes.md', '--report', 'busy/report.html']
    const run = await runInProcess(args, { cwd })
    expect(run.status).toBe(1)
    expect(run.stdout).toContain('1 page, ')
    expect(run.stderr).toMatch(/wrote dist\/notes\.pack\.json[^]*error: cannot write .*busy.*: /)
    const json = await runInProcess([...args, '--json'], { cwd })
    expect(json).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      packs: [{ slug: 'notes', status: 'unchanged' }],
      error: { code: 'output_failed', message: expect.stringContaining('busy') },
    })
  })

  it('reports an error of the only source for stdout', async () => {
    const run = await runInProcess(['build', 'absent.md', '-o', '-'], { cwd: makeFolder() })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('absent.md error absent.md does not exist file_not_found')
  })

  it('writes one pack in the singular', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'other.md': SOURCE.replace('notes', 'other') })
    await runInProcess(['build', 'notes.md'], { cwd })
    const run = await runInProcess(['build', '.'], { cwd })
    expect(run.stderr).toContain('wrote 1 pack to dist, 1 unchanged\n')
  })
})

/** Where the system refuses a file, also root. */
describe('an output that the system refuses', () => {
  const LONG = 'x'.repeat(300)

  it.each([
    ['init', 'file'],
    ['init', LONG],
    ['build notes.md -o', 'file'],
    ['build notes.md -o', 'file/sub'],
    ['build notes.md -o', LONG],
    ['build notes.md --dry-run --report', 'file/report.html'],
    ['build notes.md --dry-run --report', `${LONG}.html`],
    ['check packs --against packs.json --summary', 'file/table.md'],
    ['export packs/notes.pack.json -o', 'file'],
    ['export packs/notes.pack.json -o', LONG],
    ['signers create', 'file/key.pem'],
    ['signers create key.pem --keys', 'file/keys.json'],
    ['decode packs/notes.pack.json -o', 'file/notes.md'],
  ])('is named by `pack %s %s`', async (words, path) => {
    const cwd = makeFolder({ 'notes.md': SOURCE, file: '' })
    await runInProcess(['build', 'notes.md', '-o', 'packs'], { cwd })
    writeFileSync(join(cwd, 'packs.json'), '{"packs":[]}')
    const run = await runInProcess([...words.split(' '), path], { cwd })
    expect(run).toMatchObject({ status: 1, stderr: expect.not.stringContaining('a bug in pack') })
    expect(run.stderr).toMatch(
      /cannot (?:write|use) .*(?:file|x{300}).*: (?:a part of its path is not a folder|a file with this name is in the way|its name is too long)/,
    )
    expect(run.stderr).toMatch(/^ *hint: (?:choose another path|use a shorter name or slug)$/m)
  })
})

describe('a folder without permission', () => {
  /** Runs the program as a user whom the modes of files concern, unlike root. */
  const run = (cwd: string, words: string, path: string): Promise<Run> =>
    runPack([...words.split(' '), path], { cwd, uid: process.getuid?.() === 0 ? 65_534 : undefined })

  /** Two packs, and an empty folder with a mode. */
  async function prepare(mode: number): Promise<string> {
    const cwd = makeFolder({ 'docs/notes.md': SOURCE, 'docs/other.md': SOURCE.replace('notes', 'other') })
    await runInProcess(['build', 'docs', '-o', 'packs'], { cwd })
    mkdirSync(join(cwd, 'out'))
    chmodSync(cwd, 0o755)
    chmodSync(join(cwd, 'out'), mode)
    return cwd
  }

  const COMMANDS = [
    ['build docs -o', 'out/sub'],
    ['init', 'out'],
    ['build docs -o', 'out'],
    ['build docs --dry-run --report', 'out/report.html'],
    ['export packs/notes.pack.json -o', 'out'],
    ['signers create', 'out/key.pem'],
    ['decode packs/notes.pack.json -o', 'out/notes.md'],
  ] as const

  it.each([
    ['is entered', 0o444, 'enter', COMMANDS],
    ['is read', 0o000, 'enter', COMMANDS.slice(0, 1)],
    ['is written', 0o555, 'write in', COMMANDS],
  ])('is named where it %s', async (_, mode, right, commands) => {
    const cwd = await prepare(mode)
    const runs = commands.map(async ([words, path]) => ({ words, ...(await run(cwd, words, path)) }))
    for (const { words, status, stderr } of await Promise.all(runs)) {
      expect([words, status]).toEqual([words, 1])
      expect(stderr).toMatch(
        new RegExp(`cannot (?:write|use) .*out.*: no permission to ${right} out( |$)`, 'm'),
      )
    }
  })

  it('gives the packs that could not be removed', async () => {
    const cwd = await prepare(0o755)
    rmSync(join(cwd, 'docs/other.md'))
    chmodSync(join(cwd, 'packs'), 0o555)
    const { status, stderr } = await run(cwd, 'build docs --clean -o', 'packs')
    expect(status).toBe(1)
    expect(stderr).toContain('packs/other.pack.json: no permission to write in packs')
  })

  it('is enough where only its list cannot be read', async () => {
    const cwd = await prepare(0o333)
    expect((await run(cwd, 'build docs -o', 'out')).status).toBe(0)
    chmodSync(join(cwd, 'out'), 0o755)
    expect(readdirSync(join(cwd, 'out'))).toEqual(['.packs.json', 'notes.pack.json', 'other.pack.json'])
  })
})
