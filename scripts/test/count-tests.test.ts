import { describe, expect, it } from 'vitest'
import { countTests, formatCounts } from '../count-tests.js'

const report = (...files: [status: string, ...tests: string[]][]): string =>
  JSON.stringify({
    testResults: files.map(([status, ...tests]) => ({
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    })),
  })

describe('countTests', () => {
  it('adds up the tests of all files', () => {
    const text = report(['passed', 'passed', 'passed', 'pending'], ['failed', 'failed', 'passed', 'todo'])
    expect(countTests(text, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
  })

  it('counts a file that could not be loaded as a failure', () => {
    expect(countTests(report(['passed', 'passed'], ['failed']), 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    })
  })

  it('counts a failed command without a failed test as a failure', () => {
    expect(countTests(report(['passed', 'passed']), 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
    expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})

describe('formatCounts', () => {
  it('names skipped tests only when there are some', () => {
    expect(formatCounts({ passed: 7, failed: 0, skipped: 0 })).toBe('7 passed, 0 failed')
    expect(formatCounts({ passed: 7, failed: 1, skipped: 2 })).toBe('7 passed, 1 failed, 2 skipped')
  })
})
