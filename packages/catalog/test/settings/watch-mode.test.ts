import { watchMode, type Catalog, type Mode } from '@packs/catalog'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reads at least once a second, so that a switch is seen within a second', async () => {
  let mode: Mode['mode'] = 'online'
  const settings = { mode: async (): Promise<Mode> => makeMode(mode) }
  const watch = await watchMode({ settings } as unknown as Catalog)
  for (const next of ['recovery', 'online'] as const) {
    mode = next
    await vi.advanceTimersByTimeAsync(1000)
    expect(watch.current().mode).toBe(next)
  }
  watch.stop()
  expect(vi.getTimerCount()).toBe(0)
})

function makeMode(mode: Mode['mode']): Mode {
  return { mode, since: '2026-03-01T12:00:00.000Z', message: null, retry_after: null }
}
