import { describe, expect, it, onTestFinished } from 'vitest'
import type { BuildResult } from '../../src/output/build-result.ts'
import { createBuildPool, createQueue } from '../../src/build-run/create-build-pool.ts'

it('ends the build of a source in an endless loop, and builds the others', async () => {
  // The limit is also the time in which a thread must start and answer, so it is longer than this test needs.
  const pool = createBuildPool(5, new URL('../processes/loop-for-some.ts', import.meta.url))
  onTestFinished(() => pool.close())
  const requests = ['a.md', 'loop.md', 'b.md'].map((shown) => ({ path: `/x/${shown}`, shown, overrides: {} }))
  const results: BuildResult[] = []
  await pool.build(requests, (index, result) => (results[index] = result))
  expect(results.map(({ shown, text }) => [shown, text])).toEqual([
    ['a.md', 'built'],
    ['loop.md', null],
    ['b.md', 'built'],
  ])
  expect(results[1]!.messages).toEqual([
    {
      file: 'loop.md',
      line: null,
      column: null,
      severity: 'error',
      rule: 'build_timeout',
      message: 'Building loop.md took longer than 5 s',
      hint: 'Split the source into several, or raise PACK_BUILD_SECONDS.',
    },
  ])
})

describe('createQueue', () => {
  const takeAll = (sizes: readonly number[], count: number): number[] => {
    const take = createQueue(sizes, count)
    return sizes.map(() => take() ?? -1)
  }

  it('keeps the order of sources of about the same size, until few are left', () => {
    expect(takeAll([5, 6, 5, 7, 5, 6], 2)).toEqual([0, 1, 2, 3, 5, 4])
  })

  it('begins with a source that is as large as the share of a thread, and ends when all are taken', () => {
    expect(takeAll([1, 2, 1, 9, 1], 2)).toEqual([3, 0, 1, 2, 4])
    const take = createQueue([1], 4)
    expect([take(), take(), take()]).toEqual([0, undefined, undefined])
  })
})
