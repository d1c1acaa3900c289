import { parseSource } from '@packs/codec/pack'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BuiltSource } from '../../src/build-run/build-source.ts'
import { createBuildPool, SourceQueue, type WaitingSource } from '../../src/build-run/create-build-pool.ts'

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

describe('SourceQueue', () => {
  const takeAll = (sizes: readonly number[], count: number): number[] => {
    const sources = sizes.map((size, at) => createWaiting(`${at}.md`, size))
    const queue = new SourceQueue()
    for (const source of sources) queue.add(source)
    return sizes.map(() => sources.indexOf(queue.take(count)!))
  }

  it('keeps the order of sources of about the same size, until few are left', () => {
    expect(takeAll([5, 6, 5, 7, 5, 6], 2)).toEqual([0, 1, 2, 3, 5, 4])
  })

  it('begins with a source that is as large as the share of a thread, and ends when all are taken', () => {
    expect(takeAll([1, 2, 1, 9, 1], 2)).toEqual([3, 0, 1, 2, 4])
    const queue = new SourceQueue()
    queue.add(createWaiting('a.md', 1))
    expect([queue.isEmpty, queue.bytes]).toEqual([false, 1])
    expect(queue.take(4)?.task.shown).toBe('a.md')
    expect([queue.take(4), queue.isEmpty, queue.bytes]).toEqual([undefined, true, 0])
  })
})
