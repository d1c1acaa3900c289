import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { makeFolder } from '../../test-kit/test/run-pack.ts'
import { openDocs } from '../src/open-docs.ts'

const CONFIG = `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('ran', import.meta.url), '')\nexport default {}\n`
const folder = (): string =>
  makeFolder({
    'docs/packs.config.mjs': CONFIG,
    'docs/quay.md': '# Quay\n\nThe crane lifts at noon.\n\n# Night\n\nThe crane rests at night.\n',
    'docs/gate.md': '# Gate\n\nThe harbour master opens the gate.\n',
    'empty/a.txt': 'no markdown',
    'bad.lock': '{}',
  })

it('answers from a folder, warns of what it skips, and runs no code of it', async () => {
  const top = folder()
  const link = join(top, 'docs/gone.md')
  symlinkSync('absent', link)
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const docs = await openDocs(join(top, 'docs'))
  const { text, match } = await docs.context('who opens the gate', { budget: 500 })
  expect(text).toContain('The harbour master opens the gate.')
  expect(match).toBe('good')
  expect((await docs.list()).map(({ pack }) => pack).toSorted()).toEqual(['gate', 'quay'])
  expect(existsSync(join(top, 'docs/ran'))).toBe(false)
  expect(JSON.stringify(warn.mock.calls)).toContain('gone.md is skipped: it is a link to a file that does')
  await expect(openDocs([join(top, 'docs'), link])).rejects.toMatchObject({ code: 'broken_link' })
  await docs.close()
})

it('reads a document in parts, until next is null', async () => {
  const docs = await openDocs([join(folder(), 'docs/quay.md')])
  const parts: string[] = []
  for (let next: string | undefined | null; next !== null;) {
    const part = await docs.read('quay', undefined, { budget: 12, ...(next && { next }) })
    parts.push(part.text)
    next = part.next
  }
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.join('\n')).toMatch(/lifts at noon[^]*rests at night/)
})

it.each([
  ['invalid_option', ''],
  ['invalid_option', []],
  ['invalid_option', ['docs', 'https://example.org']],
  ['invalid_lock', 'bad.lock'],
  ['file_not_found', 'nothing-here'],
  ['no_packs', 'empty'],
])('refuses with %s: %j', async (code, from) => {
  const top = folder()
  const paths = [from].flat().map((path) => (path === '' || path.includes(':') ? path : join(top, path)))
  const open = async (): Promise<unknown> =>
    (await openDocs(typeof from === 'string' ? paths[0]! : paths)).list()
  await expect(open()).rejects.toMatchObject({ code })
})
