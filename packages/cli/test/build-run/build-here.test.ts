import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildHere, runWithLimit } from '../../src/build-run/build-here.ts'
import { makeFolder } from '../run-pack.ts'

describe('runWithLimit', () => {
  it('returns the result of the task, and throws its error', () => {
    expect(runWithLimit(() => 7, 'a.md', 5)).toBe(7)
    const error = new Error('of the task')
    expect(() =>
      runWithLimit(
        () => {
          throw error
        },
        'a.md',
        5,
      ),
    ).toThrow(error)
  })

  it('ends an endless loop', () => {
    const loop = (): never => {
      for (;;);
    }
    expect(() => runWithLimit(loop, 'loop.md', 0.02)).toThrow('Building loop.md took longer than 0.02 s')
    expect(Object.getOwnPropertySymbols(globalThis)).not.toContain(Symbol.for('packs.task'))
  })
})

it('builds a source, and reports what is wrong with it', async () => {
  const folder = makeFolder({ 'a.md': '# A title\n' })
  const path = join(folder, 'a.md')
  const good = await buildHere({ path, shown: 'a.md', overrides: {} }, 60)
  expect([good.pack?.slug, JSON.parse(good.text!)]).toMatchObject(['a', { content: '# A title\n' }])
  writeFileSync(path, new Uint8Array([0xff]))
  const bad = await buildHere({ path, shown: 'a.md', overrides: {} }, 60)
  expect([bad.pack, bad.messages.map(({ rule }) => rule)]).toEqual([null, ['invalid-utf8']])
})
