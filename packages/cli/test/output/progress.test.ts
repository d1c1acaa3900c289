import { afterEach, expect, it, vi } from 'vitest'
import { startProgress } from '../../src/output/progress.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it.each([
  [false, ['verifying ██░░░░░░░░ 20/100, about 2 min left\n']],
  [true, []],
])('writes a line to a log now and then, unless it is quiet (%s)', (isQuiet, expected) => {
  vi.useFakeTimers()
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const { show, stop } = startProgress('verifying', 0, isQuiet)
  show(20, 100)
  vi.advanceTimersByTime(31_000)
  stop()
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual(expected)
})
