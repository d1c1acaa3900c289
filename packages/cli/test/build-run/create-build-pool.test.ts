import { expect, it, onTestFinished } from 'vitest'
import type { BuildResult } from '../../src/output/build-result.ts'
import { createBuildPool } from '../../src/build-run/create-build-pool.ts'

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
