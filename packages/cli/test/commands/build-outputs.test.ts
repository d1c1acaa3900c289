import { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../run-in-process.ts'
import { makeFolder } from '../run-pack.ts'

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
    expect(run.stdout).toContain('notes       none')
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

  it.each([
    [['build', ''], 'an input is empty'],
    [['build', 'notes.md', '-o', ''], '-o is empty'],
    [['check', ''], 'an input is empty'],
  ])('rejects an empty argument: %j', async (args, message) => {
    const cwd = makeFolder({ 'notes.md': SOURCE })
    const run = await runInProcess([...args, '--json'], { cwd })
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'usage', message } })
    expect(readdirSync(cwd)).toEqual(['notes.md'])
  })

  it('writes one pack in the singular', async () => {
    const cwd = makeFolder({ 'notes.md': SOURCE, 'other.md': SOURCE.replace('notes', 'other') })
    await runInProcess(['build', 'notes.md'], { cwd })
    const run = await runInProcess(['build', '.'], { cwd })
    expect(run.stderr).toContain('wrote 1 pack to dist, 1 unchanged\n')
  })
})
