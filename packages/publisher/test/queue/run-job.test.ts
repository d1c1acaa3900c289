import type { Catalog } from '@packs/catalog'
import { readSource } from '@packs/publisher'
import { describe, expect, it } from 'vitest'
import { runJob, wrapFailure } from '../../src/queue/run-job.ts'
import { buildHere } from '../../src/build-thread/create-build-thread.ts'
import { deduplicateRequest, parseFailure } from '../../src/steps/job-result.ts'
import { createSingleData, type PublishJob } from '../../src/steps/job-data.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
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
        actor,
      },
      'source_missing',
    ],
  ])('fails permanently on %s', async (_, data, code) => {
    const { catalog } = await openTestCatalog()
    const job = {
      id: 'j',
      data,
      updateProgress: () => Promise.resolve(),
      getChildrenValues: () => Promise.resolve({}),
    }
    const error = await runJob({ catalog, build: buildHere }, job).catch((thrown: unknown) => thrown)
    expect((error as Error).name).toBe('UnrecoverableError')
    expect(parseFailure((error as Error).message).code).toBe(code)
    expect((error as Error).message).not.toContain('hush')
  })
})

describe('runJob with values from outside the source', () => {
  const run = async (change: (job: PublishJob, catalog: Catalog) => unknown): Promise<unknown> => {
    const { catalog } = await openTestCatalog()
    const given = { slug: 'guides-a', glossary: [{ expansion: 'a phrase', term: 'AP' }] }
    const read = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md', defaults: given })
    const next = await deduplicateRequest(catalog, { ...read, actor })
    const data = 'job' in next ? await change(next.job, catalog) : undefined
    const job = {
      id: 'j',
      data,
      updateProgress: () => Promise.resolve(),
      getChildrenValues: () => Promise.resolve({}),
    }
    return runJob({ catalog, build: buildHere }, job).catch((error: Error) => parseFailure(error.message))
  }

  it('publishes them', async () => {
    expect(await run((job) => createSingleData(job))).toMatchObject({ slug: 'guides-a', version: '1.0.0' })
  })

  it('fails if the catalog lacks the glossary, or cannot read it', async () => {
    const lost = (job: PublishJob, tables: string): unknown =>
      createSingleData({ ...job, given: { ...job.given, tables } })
    expect(await run((job) => lost(job, 'f'.repeat(64)))).toMatchObject({
      code: 'source_missing',
      message: 'The catalog lacks the glossary and map of keys ffffffffffff',
    })
    const damaged = await run(async (job, { sources }) =>
      lost(job, await sources.put(Buffer.from('{"glossary":[{"term":5}]}'))),
    )
    expect(damaged).toMatchObject({
      code: 'source_missing',
      message: expect.stringMatching(/cannot be read$/),
    })
  })

  it('publishes nothing under another slug than that of the job', async () => {
    expect(await run((job) => ({ ...createSingleData(job), given: {} }))).toMatchObject({
      code: 'invalid_job',
      message: 'The job is about guides-a, but its source is that of a',
    })
  })
})

describe('wrapFailure', () => {
  it('keeps no text of an unknown error, and lets the job be retried', () => {
    const wrapped = wrapFailure(new TypeError('undisclosed words of a pack'))
    expect(wrapped.name).toBe('Error')
    expect(wrapped.message).toContain('job_failed: Unexpected failure (TypeError)')
    expect(`${wrapped.message}${wrapped.stack}`).not.toContain('undisclosed')
    expect(wrapped.stack).toMatch(/^Error: job_failed\n {4}at .*run-job\.test\.ts/)
  })
})
