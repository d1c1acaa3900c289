import { linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
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
})
