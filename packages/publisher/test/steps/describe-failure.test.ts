import { describe, expect, it } from 'vitest'
import { parseFailure, serializeFailure } from '../../src/steps/job-result.ts'

describe('parseFailure', () => {
  it('parses the text of serializeFailure, and reports any other reason as job_failed', () => {
    const failure = { code: 'bad_source', message: 'a.md: has an error', hint: 'Mend it.' } as const
    expect(parseFailure(serializeFailure(failure))).toEqual(failure)
    expect(parseFailure('job stalled more than allowable limit')).toMatchObject({
      code: 'job_failed',
      message: 'The job failed: job stalled more than allowable limit',
    })
  })
})
