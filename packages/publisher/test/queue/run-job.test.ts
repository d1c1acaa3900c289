import { UnrecoverableError } from 'bullmq'
import { describe, expect, it } from 'vitest'
import { runJob, wrapFailure } from '../../src/queue/run-job.ts'
import { buildHere } from '../../src/build-thread/create-build-thread.ts'
import { parseFailure } from '../../src/steps/describe-failure.ts'
import { openTestCatalog } from '../sources.ts'

describe('runJob', () => {
  it.each([
    ['data of another version', { kind: 'publish', slug: 'a', secret: 'hush' }, 'invalid_job'],
    ['no data', null, 'invalid_job'],
    [
      'a missing source',
      {
        kind: 'publish',
        slug: 'a',
        source: '0'.repeat(64),
        source_digest: '1'.repeat(64),
        path: 'a.md',
        git_commit: null,
        bump: null,
        rebuild: false,
        parent: null,
      },
      'source_missing',
    ],
  ])('fails permanently on %s', async (_, data, code) => {
    const { catalog } = await openTestCatalog()
    const job = {
      id: 'j',
      data,
      updateProgress: () => Promise.resolve(),
      readLatest: () => Promise.resolve({ data: [], values: [] }),
    }
    const error = await runJob({ catalog, build: buildHere }, job).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnrecoverableError)
    expect(parseFailure((error as Error).message).code).toBe(code)
    expect((error as Error).message).not.toContain('hush')
  })
})

describe('wrapFailure', () => {
  it('keeps no text of an unknown error, and lets the job be retried', () => {
    const wrapped = wrapFailure(new TypeError('undisclosed words of a pack'))
    expect(wrapped).not.toBeInstanceOf(UnrecoverableError)
    expect(wrapped.message).toContain('job_failed: Unexpected failure (TypeError)')
    expect(`${wrapped.message}${wrapped.stack}`).not.toContain('undisclosed')
    expect(wrapped.stack).toMatch(/^Error: job_failed\n {4}at .*run-job\.test\.ts/)
  })
})
