import { watchCatalog, type CatalogState, type Mode } from '@packs/catalog'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reads at least once a second, so that a switch is seen within a second', async () => {
  let mode: Mode['mode'] = 'online'
  const watch = await watchCatalog({ state: async () => makeState(0, mode) })
  for (const next of ['recovery', 'online'] as const) {
    mode = next
    await vi.advanceTimersByTimeAsync(1000)
    expect(watch.current().mode).toBe(next)
  }
  watch.stop()
  expect(vi.getTimerCount()).toBe(0)
})

it('queries the sequence once for concurrent callers, and again after 50 ms', async () => {
  let reads = 0
  let time = 0
  const watch = await watchCatalog({ state: async () => makeState(++reads) }, { clock: () => time })
  time = 49
  expect(watch.sequence()).toBe(1)
  time = 50
  expect(watch.sequence()).toBeInstanceOf(Promise)
  const asked = Array.from({ length: 10 }, async () => watch.sequence())
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => 2))
  expect([watch.sequence(), reads]).toEqual([2, 2])
  watch.stop()
})

it('counts the time since the last answer, with one question at once', async () => {
  const questions: PromiseWithResolvers<CatalogState>[] = []
  const ask = (): Promise<CatalogState> => {
    const question = Promise.withResolvers<CatalogState>()
    questions.push(question)
    return question.promise
  }
  const opening = watchCatalog({ state: ask })
  questions[0]!.resolve(makeState(1))
  const watch = await opening
  await vi.advanceTimersByTimeAsync(2000)
  expect([watch.silence(), questions.length]).toEqual([2000, 2])
  questions[1]!.reject(new Error('away'))
  await vi.advanceTimersByTimeAsync(250)
  expect([watch.silence(), questions.length]).toEqual([2250, 3])
  questions[2]!.resolve(makeState(2))
  await vi.advanceTimersByTimeAsync(0)
  expect(watch.silence()).toBe(0)
  watch.stop()
})

function makeState(sequence: number, mode: Mode['mode'] = 'online'): CatalogState {
  return { sequence, mode: { mode, since: '2026-03-01T12:00:00.000Z', message: null, retry_after: null } }
}
