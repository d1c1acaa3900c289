import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runConfig } from '../../src/config/run-config.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const SITE = {
  '.git/HEAD': '',
  'docs/a.md': '---\ntitle: A\n---\n{{< version >}} of {{#include part.txt}}\n',
  'docs/part.txt': 'it {{< version >}}',
  'docs/z.md': '# Z\n',
}

function readPack(cwd: string, slug: string): { readonly content: string; readonly sha256: string } {
  return JSON.parse(readFileSync(join(cwd, 'dist', `${slug}.pack.json`), 'utf8')) as never
}

describe('prepare', () => {
  it('gets path and text of each source, with includes resolved, and its result is built', async () => {
    const cwd = makeFolder({
      ...SITE,
      'packs.config.js': `let count = 0
        export default { sources: ['docs'], prepare: async ({ path, text }) => {
          console.log('prepare', path, ++count)
          return text.replaceAll('{{< version >}}', '2.1')
        } }`,
    })
    const run = await runInProcess(['build'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stderr).toContain('prepare docs/a.md 1')
    expect(run.stderr).toContain('prepare docs/z.md 2')
    expect(run.stdout).not.toContain('prepare')
    expect(readPack(cwd, 'a').content).toBe('2.1 of it 2.1\n')
    expect(run.stderr).not.toContain('not in the pack')
  })

  it.each([
    ['throws', `throw new Error('no shortcode')`, 'it failed: no shortcode'],
    ['throws a text', `throw 'no shortcode'`, 'it threw no shortcode'],
    ['returns nothing', ``, 'it returned nothing'],
    ['returns a number', `return 42`, 'it returned a value of type number'],
    ['returns a list', `return [text]`, 'it returned a list'],
    ['returns half a character', `return '\\ud800'`, 'it returned a text with half of a surrogate pair'],
    ['ends the thread', `process.exit(0)`, 'it ended before it returned a text'],
    ['never answers', `return new Promise(() => undefined)`, 'it ended before it returned a text'],
  ])('fails for the source for which it %s, and for no other', async (_, code, message) => {
    const config = `export default { sources: ['docs'], prepare({ path, text }) {\nif (path === 'docs/z.md') return text\n${code} } }`
    const cwd = makeFolder({ ...SITE, 'packs.config.mjs': config })
    const { status, stderr } = await runInProcess(['build'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain('docs/a.md error prepare in packs.config.mjs')
    expect(stderr).toContain(`failed for docs/a.md: ${message}`)
    expect(readPack(cwd, 'z').content).toBe('# Z\n')
    expect(() => readPack(cwd, 'a')).toThrow('ENOENT')
  })

  it('is ended when it takes too long, and goes on with the next source', async () => {
    const cwd = makeFolder({
      'packs.config.mjs': `export default { prepare({ path, text }) { if (path === 'a.md') for (;;); return text } }`,
    })
    const { prepare, close } = await runConfig(join(cwd, 'packs.config.mjs'), 'it', 1)
    await expect(prepare!({ path: 'a.md', text: 'a' })).rejects.toThrow('it did not end within 1 seconds')
    expect(await prepare!({ path: 'b.md', text: 'b' })).toBe('b')
    await close!()
  })

  it('is not asked again when it took too long for three sources', async () => {
    const cwd = makeFolder({ 'packs.config.mjs': 'export default { prepare() { for (;;); } }' })
    const { prepare, close } = await runConfig(join(cwd, 'packs.config.mjs'), 'it', 0.5)
    const source = { path: 'a.md', text: 'a' }
    for (let at = 0; at < 3; at++) await expect(prepare!(source)).rejects.toThrow('within 0.5 seconds')
    await expect(prepare!(source)).rejects.toThrow('timed out on 3 earlier sources')
    await close!()
  })

  it.each([
    ['packs.config.json', '{ "prepare": "x" }', '"prepare" is a function, which JSON cannot hold'],
    ['packs.config.mjs', 'export default { prepare: "x" }', 'prepare must be a function such as'],
    ['packs.config.mjs', 'export default { prepar: "x" }', 'did you mean "prepare"?'],
  ])('is checked with the configuration: %s with %s', async (name, text, message) => {
    const { status, stderr } = await runInProcess(['build'], { cwd: makeFolder({ ...SITE, [name]: text }) })
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })
})
