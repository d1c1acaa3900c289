import { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, runPack } from '../run-pack.ts'

const SOURCE = `---\nslug: notes\ntitle: T\ndomain: Guides\nsubdomain: S\ndifficulty: beginner\n---\nText.\n`

describe('what pack build writes to', () => {
  it.each([
    ['a link', symlinkSync],
    ['another name', linkSync],
  ])('keeps a source whose pack would be written over it by %s, and builds the others', async (_, put) => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'other.md': SOURCE.replace('notes', 'other') })
    mkdirSync(join(cwd, 'out'))
    put(join(cwd, 'notes.md'), join(cwd, 'out/notes.pack.json'))
    const run = await runPack(['build', 'notes.md', 'other.md', '-o', 'out'], { cwd })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(
      'notes.md error out/notes.pack.json is a source of this build file_exists\n  hint: name another place to write to',
    )
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toBe(SOURCE)
    expect(JSON.parse(readFileSync(join(cwd, 'out/other.pack.json'), 'utf8')).content).toBe('Text.\n')
  })

  it('keeps a source that a shared header would be written over', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE })
    mkdirSync(join(cwd, 'out'))
    symlinkSync(join(cwd, 'notes.md'), join(cwd, 'out/guides.rosetta'))
    const run = await runPack(['build', 'notes.md', '-o', 'out', '--shared-rosetta', 'guides', '--json'], {
      cwd,
    })
    expect(run.status).toBe(4)
    expect(JSON.parse(run.stdout)).toEqual({
      ok: false,
      error: {
        code: 'file_exists',
        message: 'out/guides.rosetta is a source of this build',
        hint: 'name another place to write to',
        file: 'out/guides.rosetta',
      },
    })
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toBe(SOURCE)
  })

  it('tells of packs that were written when the report could not be', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, busy: '' })
    const args = ['build', 'notes.md', '--report', 'busy/report.html']
    const run = await runPack(args, { cwd })
    expect(run.status).toBe(1)
    expect(run.stdout).toContain('notes       none')
    expect(run.stderr).toMatch(/wrote dist\/notes\.pack\.json[^]*error: cannot write .*busy.*: /)
    const json = await runPack([...args, '--json'], { cwd })
    expect(json).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      packs: [{ slug: 'notes', status: 'unchanged' }],
      error: { code: 'output_failed', message: expect.stringContaining('busy') },
    })
  })

  it('says what is wrong with the one source for stdout', async () => {
    const run = await runPack(['build', 'absent.md', '-o', '-'], { cwd: makeFolder() })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toContain('absent.md error absent.md does not exist file_not_found')
  })

  it.each([
    [['build', ''], 'an input is an empty text'],
    [['build', 'notes.md', '-o', ''], '-o names no folder'],
    [['check', ''], 'an input is an empty text'],
  ])('takes an empty argument for no folder: %j', async (args, message) => {
    const cwd = makeFolder({ 'notes.md': SOURCE })
    const run = await runPack([...args, '--json'], { cwd })
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'usage', message } })
    expect(readdirSync(cwd)).toEqual(['notes.md'])
  })

  it('counts one pack as one', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'other.md': SOURCE.replace('notes', 'other') })
    await runPack(['build', 'notes.md'], { cwd })
    const run = await runPack(['build', '.'], { cwd })
    expect(run.stderr).toContain('wrote 1 pack to dist, 1 unchanged\n')
  })
})
