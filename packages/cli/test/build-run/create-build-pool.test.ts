import { parseSource } from '@packs/codec/pack'
import { expect, it, onTestFinished } from 'vitest'
import type { BuiltSource } from '../../src/build-run/build-source.ts'
import { createBuildPool, type WaitingSource } from '../../src/build-run/create-build-pool.ts'

function createWaiting(
  shown: string,
  bytes: number,
  onBuilt: (built: BuiltSource) => void = () => undefined,
): WaitingSource {
  const { source } = parseSource(`# ${shown}\n`, { path: shown })
  return { task: { source: source!, shown, overrides: {} }, bytes, onBuilt }
}

it('ends the build of a source in an endless loop, and builds the others', async () => {
  // The limit is also the time in which a thread must start and answer, so it is longer than this test needs.
  const pool = createBuildPool(5, new URL('../processes/loop-for-some.ts', import.meta.url))
  onTestFinished(() => pool.close())
  const results = new Map<string, BuiltSource>()
  async function* list(): AsyncGenerator<WaitingSource> {
    for (const shown of ['a.md', 'loop.md', 'b.md'])
      yield createWaiting(shown, 9, (built) => results.set(shown, built))
  }
  await pool.build(list())
  expect(results.get('a.md')?.text).toBe('built a.md')
  expect(results.get('b.md')?.text).toBe('built b.md')
  expect(results.get('loop.md')).toEqual({
    pack: null,
    text: null,
    messages: [
      {
        file: 'loop.md',
        line: null,
        column: null,
        severity: 'error',
        rule: 'build_timeout',
        message: 'Building loop.md took longer than 5 s',
        hint: 'Split the source into several, or raise PACK_BUILD_SECONDS.',
      },
    ],
  })
})

it('asks for no more sources while many wait', async () => {
  const pool = createBuildPool(60, new URL('../processes/loop-for-some.ts', import.meta.url))
  onTestFinished(() => pool.close())
  let waiting = 0
  let most = 0
  async function* list(): AsyncGenerator<WaitingSource> {
    for (let at = 0; at < 40; at++) {
      most = Math.max(most, ++waiting)
      yield createWaiting(`${at}.md`, 8 * 1024 * 1024, () => waiting--)
    }
  }
  await pool.build(list())
  expect(waiting).toBe(0)
  expect(most).toBeLessThan(20)
})
