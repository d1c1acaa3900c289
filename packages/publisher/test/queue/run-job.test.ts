import type { Catalog } from '@packs/catalog'
import { readSource } from '@packs/publisher'
import { describe, expect, it } from 'vitest'
import { runJob, wrapFailure } from '../../src/queue/run-job.ts'
import { buildVersion } from '../../src/version-builder/decide-version.ts'
import { deduplicateRequest, parseFailure } from '../../src/steps/job-result.ts'
import { type PublishJob, acceptPublish } from '../../src/steps/accept-jobs.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { openTestCatalog, request, writeSource } from '../sources.ts'

/** Runs a job as if the queue had delivered it. */
async function run(catalog: Catalog, id: string): Promise<string | undefined> {
  let isDelayed = false
  const job = {
    id,
    isPatient: true,
    isLastAttempt: false,
    updateProgress: () => Promise.resolve(),
    delay: () => Promise.resolve(void (isDelayed = true)),
  }
  const error = await runJob(() => Promise.resolve({ catalog, build: buildVersion }), job).then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  expect(error?.name ?? 'UnrecoverableError').toBe('UnrecoverableError')
  return isDelayed ? 'delayed' : error && parseFailure(error.message).code
}

describe('runJob', () => {
  const given = { slug: 'guides-a', glossary: [{ expansion: 'a phrase', term: 'AP' }] }
  const read = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md', defaults: given })
  const zero = '0'.repeat(64)
  const put = ({ sources }: Catalog, text: string): Promise<string> => sources.put(Buffer.from(text))
  type Change = (job: PublishJob, catalog: Catalog) => Partial<PublishJob> | Promise<Partial<PublishJob>>

  const OTHER = ['invalid_job', /another digest/] as const

  it.each<[string, Change, string, RegExp]>([
    ['a missing source', () => ({ source: zero }), 'source_missing', /has no source/],
    [
      'a glossary that is missing',
      ({ given }) => ({ given: { ...given, tables: zero } }),
      'source_missing',
      /lacks the glossary and map of keys 000000000000$/,
    ],
    [
      'a glossary that cannot be read',
      async ({ given }, catalog) => ({
        given: { ...given, tables: await put(catalog, '{"glossary":[{"term":5}]}') },
      }),
      'source_missing',
      /cannot be read$/,
    ],
    [
      'the slug of another pack',
      () => ({ given: {} }),
      'invalid_job',
      /is about guides-a, but its source is that of a$/,
    ],
    ['another title', ({ given }) => ({ given: { ...given, title: 'Official' } }), ...OTHER],
    ['another glossary', ({ given: { tables: _tables, ...given } = {} }) => ({ given }), ...OTHER],
    ['another source', async (_job, catalog) => ({ source: await put(catalog, '# B\n') }), ...OTHER],
    ['another digest', () => ({ source_digest: zero }), ...OTHER],
  ])('records that a job with %s has failed, for good', async (_what, change, code, message) => {
    const { catalog } = await openTestCatalog()
    const next = await deduplicateRequest(catalog, { ...read, actor })
    if ('result' in next) throw new Error('no job was made')
    const job = { ...next.job, ...(await change(next.job, catalog)) }
    const { id } = await acceptPublish(catalog, job, null)
    expect(await run(catalog, id)).toBe(code)
    const { state, error, result } = (await catalog.jobs.get(id))!
    expect([state, error]).toEqual(['failed', expect.stringMatching(message)])
    expect(JSON.parse(result!)).toMatchObject({ status: 'failed', code, job: id })
    expect(await catalog.sequence()).toBe(0)
  })

  it('publishes with values from outside the source, once; an unknown job fails', async () => {
    const { catalog } = await openTestCatalog()
    const next = await deduplicateRequest(catalog, { ...read, actor })
    if ('result' in next) throw new Error('no job was made')
    const { id } = await acceptPublish(catalog, next.job, null)
    expect([await run(catalog, id), await run(catalog, id)]).toEqual([undefined, undefined])
    expect(JSON.parse((await catalog.jobs.get(id))!.result!)).toMatchObject({
      slug: 'guides-a',
      version: '1.0.0',
    })
    expect(await run(catalog, 'j')).toBe('invalid_job')
    expect(await catalog.sequence()).toBe(1)
  })

  it('waits for what was accepted before, and refuses to replace what was accepted later', async () => {
    const { catalog } = await openTestCatalog()
    const accept = async (text: string): Promise<string> => {
      const next = await deduplicateRequest(catalog, request(writeSource('order', text)))
      return (await acceptPublish(catalog, 'job' in next ? next.job : (undefined as never), null)).id
    }
    const [a, b, again] = [await accept('# A\n'), await accept('# B\n'), await accept('# A\n')]
    expect([a === again, await accept('# A\n')]).toEqual([false, again])
    expect([await run(catalog, again), await run(catalog, b)]).toEqual(['delayed', 'delayed'])
    await catalog.jobs.finish(a, { state: 'failed', error: 'job_failed: x', result: null })
    expect(await run(catalog, b)).toBeUndefined()
    expect([await run(catalog, a), await run(catalog, again)]).toEqual(['job_superseded', undefined])
    const versions = await catalog.packs.versions('order')
    expect(versions.map(({ version }) => version)).toEqual(['2.0.0', '1.0.0'])
    expect((await catalog.packs.head('order'))?.provenance.job).toBe(again)
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
