import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

describe('pack init', () => {
  it('writes a source that the printed command builds', async () => {
    const cwd = makeFolder()
    const run = await runInProcess(['init'], { cwd })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toBe('wrote first-pack.md\nnext: pack build first-pack.md\n')
    const build = await runInProcess(['build', 'first-pack.md', '--json'], { cwd })
    expect(JSON.parse(build.stdout)).toMatchObject({
      ok: true,
      packs: [{ slug: 'first-pack', version: '0.0.0', compression: 'minify-1', messages: [] }],
    })
  })

  it('writes a configuration that the printed command uses', async () => {
    const cwd = makeFolder({ 'a.md': '# A\n' })
    const run = await runInProcess(['init', '--config'], { cwd })
    expect(run.stdout).toBe('wrote packs.config.json\nnext: pack build\n')
    const build = await runInProcess(['build', '--json'], { cwd })
    expect(JSON.parse(build.stdout)).toMatchObject({ ok: true, packs: [{ slug: 'a' }] })
    expect(await runInProcess(['init', '--config'], { cwd })).toMatchObject({ status: 4 })
    const below = await runInProcess(['init', 'site', '--config'], { cwd })
    expect(below.stdout).toContain('next: pack build --config site/packs.config.json\n')
  })

  it('creates the given folder, and describes the file as JSON', async () => {
    const cwd = makeFolder()
    const run = await runInProcess(['init', 'my guides', '--json'], { cwd })
    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      file: 'my guides/first-pack.md',
      next: 'pack build "my guides/first-pack.md"',
    })
    expect(readdirSync(join(cwd, 'my guides'))).toEqual(['first-pack.md'])
  })

  it.each([
    ['-x', './-x/first-pack.md'],
    ['a$HOME', "'a$HOME/first-pack.md'"],
    ['it\'s "so"', `'it'\\''s "so"/first-pack.md'`],
  ])('quotes folder %s in the command for a shell', async (folder, path) => {
    const cwd = makeFolder()
    const run = await runInProcess(['init', '--', folder], { cwd })
    expect(run.stdout).toContain(`next: pack build ${path}\n`)
    const again = await runInProcess(['init', '--', folder], { cwd })
    expect(again.stderr).toContain(`hint: run \`pack build ${path}\`, or name another folder\n`)
  })

  it('never overwrites', async () => {
    const cwd = makeFolder()
    writeFileSync(join(cwd, 'first-pack.md'), 'mine')
    const run = await runInProcess(['init', '--json'], { cwd })
    expect(run.status).toBe(4)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'file_exists' } })
    expect(readFileSync(join(cwd, 'first-pack.md'), 'utf8')).toBe('mine')
  })

  it('does not write through a symbolic link', async () => {
    const cwd = makeFolder()
    symlinkSync('absent', join(cwd, 'first-pack.md'))
    expect((await runInProcess(['init'], { cwd })).status).toBe(4)
    expect(readdirSync(cwd)).toEqual(['first-pack.md'])
  })
})
