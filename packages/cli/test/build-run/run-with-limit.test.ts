import { describe, expect, it } from 'vitest'
import { runWithLimit } from '../../src/build-run/create-build-pool.ts'

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
