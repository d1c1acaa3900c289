import { describe, expect, it } from 'vitest'
import { parseFailure, serializeFailure } from '../../src/steps/job-result.ts'

describe('parseFailure', () => {
  it('parses the text of serializeFailure, and reports another reason as job_stalled or job_failed', () => {
    const failure = { code: 'bad_source', message: 'a.md: has an error', hint: 'Mend it.' } as const
    expect(parseFailure(serializeFailure(failure))).toEqual(failure)
    expect(parseFailure('job stalled more than allowable limit')).toMatchObject({ code: 'job_stalled' })
    expect(parseFailure('Unexpected exit code: null signal: SIGKILL')).toMatchObject({
      code: 'job_failed',
      message: 'The job failed: Unexpected exit code: null signal: SIGKILL',
    })
  })
})
