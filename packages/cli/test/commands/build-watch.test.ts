import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder, startPack } from '../../../test-kit/test/run-pack.ts'

/** Returns a function that waits until the child prints a text after the last one found. */
function listen(child: ChildProcess): (text: string) => Promise<void> {
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      for (const check of waiting) check()
    })
  }
  return (text) =>
    new Promise((resolve) => {
      const check = (): void => {
        const at = output.indexOf(text)
        if (at < 0) return
        output = output.slice(at + text.length)
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
}

function source(slug: string, text: string): string {
  return `---\nslug: ${slug}\ntitle: T\ndomain: D\nsubdomain: S\ndifficulty: beginner\n---\n${text}`
}

describe('pack build --watch', () => {
  it('builds changed and new sources, continues after errors, and exits with 130', async () => {
    const cwd = makeFolder({ 'a.md': source('a', 'first'), 'b.md': source('b', 'stays') })
    const { child, hear } = await startWatching(['.'], cwd)
    const before = statSync(join(cwd, 'dist/b.pack.json')).mtimeMs

    writeFileSync(join(cwd, 'a.md'), source('a', 'second'))
    await hear('dist/a.pack.json')
    expect(JSON.parse(readFileSync(join(cwd, 'dist/a.pack.json'), 'utf8')).content).toBe('second')
    expect(statSync(join(cwd, 'dist/b.pack.json')).mtimeMs).toBe(before)

    writeFileSync(join(cwd, 'a.md'), '---\nbudget: many\n---\nthird')
    await hear('a.md:2:9 error')
    writeFileSync(join(cwd, 'a.md'), source('b', 'fourth'))
    await hear('duplicate_slug')
    writeFileSync(join(cwd, 'a.md'), source('a', 'fifth'))
    await hear('dist/a.pack.json')

    writeFileSync(join(cwd, 'c.md'), source('c', 'new'))
    await hear('dist/c.pack.json')
    expect(existsSync(join(cwd, 'dist/c.pack.json'))).toBe(true)
    rmSync(join(cwd, 'c.md'))
    writeFileSync(join(cwd, 'a.md'), source('c', 'takes the slug of a source that has gone'))
    await hear('dist/c.pack.json')

    await endWatching(child)
  })

  it('follows ignore files, and takes a named file of a dot folder', async () => {
    const cwd = makeFolder({
      'docs/a.md': 'a',
      'docs/b.md': 'b',
      'docs/.more/c.md': 'c',
      'docs/.more/d.md': 'd',
    })
    const { child, hear } = await startWatching(['docs', 'docs/.more/c.md'], cwd)
    expect(readdirSync(join(cwd, 'dist'))).toEqual([
      '.packs.json',
      'a.pack.json',
      'b.pack.json',
      'c.pack.json',
    ])
    writeFileSync(join(cwd, 'docs/.gitignore'), 'b.md\n')
    await hear('docs/b.md is no longer a source')
    writeFileSync(join(cwd, 'docs/.more/c.md'), 'changed')
    await hear('dist/c.pack.json')
    await endWatching(child)
  })

  it('writes a source with a duplicate slug once the other is gone, and reports a new broken link', async () => {
    const cwd = makeFolder({ 'a.md': source('same', 'kept'), 'b.md': source('same', 'removed') })
    const { child, hear } = await startWatching(['.'], cwd)
    expect(existsSync(join(cwd, 'dist'))).toBe(false)

    rmSync(join(cwd, 'b.md'))
    await hear('wrote dist/same.pack.json')
    expect(readContent(cwd, 'dist/same.pack.json')).toBe('kept')

    symlinkSync('nowhere.md', join(cwd, 'c.md'))
    writeFileSync(join(cwd, 'a.md'), source('same', 'changed'))
    await hear('c.md error c.md is a link to a file that does not exist broken_link')
    await endWatching(child)
  })

  it('goes on after a build that took too long', async () => {
    const cwd = makeFolder({ 'a.md': source('a', 'first') })
    const child = startPack(['build', '.', '--watch'], { cwd, env: { PACK_BUILD_SECONDS: '0.001' } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const hear = listen(child)
    await hear('a.md error Building a.md took longer than 0.001 s build_timeout')
    await hear('press Ctrl-C to stop')
    writeFileSync(join(cwd, 'b.md'), source('b', 'new'))
    await hear('b.md error Building b.md took longer than 0.001 s build_timeout')
    await endWatching(child)
  })

  it('says what it watches, takes a changed configuration over, and goes on after a bad one', async () => {
    const cwd = makeFolder({
      'docs/a.md': source('a', 'first'),
      'docs/b.md': source('b', 'first'),
      'packs.config.json': '{"sources":["docs"],"scheme":"none"}',
    })
    const child = startPack(['build', '--watch'], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    const hear = listen(child)
    await hear('watching 2 files in docs and packs.config.json; press Ctrl-C to stop\n')
    writeFileSync(join(cwd, 'packs.config.json'), '{"sources":["docs"],"scheme":"fast"}')
    await hear('packs.config.json:1:')
    writeFileSync(join(cwd, 'packs.config.json'), '{"sources":["docs/a.md"]}')
    await hear('packs.config.json has changed\n')
    await hear('docs/b.md is no longer a source\n')
    writeFileSync(join(cwd, 'docs/a.md'), source('a', 'second'))
    await hear('wrote dist/a.pack.json')
    await endWatching(child)
  })

  it('says which sources are removed, and with --clean removes their packs', async () => {
    const cwd = makeFolder({ 'a.md': source('a', 'stays'), 'b.md': source('b', 'goes') })
    const { child, hear } = await startWatching(['.', '--clean'], cwd)
    expect(existsSync(join(cwd, 'dist/b.pack.json'))).toBe(true)
    rmSync(join(cwd, 'b.md'))
    await hear('b.md is no longer a source\n')
    await hear('removed 1 pack whose source is gone: dist/b.pack.json\n')
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', 'a.pack.json'])
    await endWatching(child)
  })

  it('builds a page when a file that it includes changes', async () => {
    const cwd = makeFolder({
      '.git/HEAD': '',
      'docs/a.md': source('a', '{{#include ../listings/a.txt}}'),
      'listings/a.txt': 'first',
    })
    const { child, hear } = await startWatching(['docs'], cwd)
    expect(readContent(cwd, 'dist/a.pack.json')).toBe('first')
    let edit = 0
    // The file is watched soon after the first build, and may be read before its text is written.
    const timer = setInterval(() => writeFileSync(join(cwd, 'listings/a.txt'), `edit ${++edit}`), 300)
    onTestFinished(() => clearInterval(timer))
    let text: unknown = ''
    for (; text === ''; text = readContent(cwd, 'dist/a.pack.json')) await hear('wrote dist/a.pack.json')
    expect(text).toContain('edit ')
    clearInterval(timer)
    await endWatching(child)
  })

  it.each([
    ['the output folder', () => ['.', '-o', '.']],
    ['an absolute glob', (cwd: string) => [join(cwd, '*.md'), '-o', '.']],
  ])('sees changes below %s', async (_, inputs) => {
    const cwd = makeFolder({ 'a.md': source('a', 'first') })
    const { child, hear } = await startWatching(inputs(cwd), cwd)
    writeFileSync(join(cwd, 'a.md'), source('a', 'second'))
    await hear('wrote a.pack.json')
    expect(readContent(cwd, 'a.pack.json')).toBe('second')
    await endWatching(child)
  })
})

async function startWatching(
  inputs: readonly string[],
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly hear: (text: string) => Promise<void> }> {
  const child = startPack(['build', ...inputs, '--watch'], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const hear = listen(child)
  await hear('press Ctrl-C to stop')
  return { child, hear }
}

async function endWatching(child: ChildProcess): Promise<void> {
  child.kill('SIGINT')
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
}

function readContent(cwd: string, pack: string): unknown {
  return JSON.parse(readFileSync(join(cwd, pack), 'utf8')).content
}
