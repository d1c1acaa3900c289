import { parseSource } from '@packs/codec/source'
import { describe, expect, it } from 'vitest'
import { buildHere, runWithLimit } from '../../src/build-run/build-here.ts'
import type { BuiltSource } from '../../src/build-run/build-source.ts'

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
  const build = (text: string): Promise<BuiltSource> =>
    buildHere({ source: parseSource(text, { path: 'a.md' }).source!, shown: 'a.md', overrides: {} }, 60)
  const good = await build('# A title\n')
  expect([good.pack?.slug, JSON.parse(good.text!)]).toMatchObject(['a', { content: '# A title\n' }])
  const bad = await build('---\nbudget: 1\n---\n# A title\n')
  expect(bad.messages.at(-1)).toMatchObject({ file: 'a.md', rule: 'over-budget', severity: 'error', line: 2 })
})
