import { readSource } from '@packs/publisher'
import { describe, expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { createJob } from '../../src/steps/job-result.ts'
import { deriveJobId, deriveReleaseId, type PublishJob } from '../../src/steps/accept-jobs.ts'

const job: PublishJob = {
  slug: 'tls',
  source: '0'.repeat(64),
  source_digest: '1'.repeat(64),
  path: 'docs/tls.md',
  git_commit: null,
  bump: null,
  rebuild: false,
  parent: null,
  actor,
}

describe('job data', () => {
  it('stays small however large the glossary is', () => {
    const glossary = Array.from({ length: 5000 }, (_, at) => ({ expansion: `a phrase with number ${at}` }))
    const request = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md', defaults: { glossary } })
    const { given } = createJob({ ...request, actor }, undefined)
    expect(given).toEqual({ tables: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })
})

describe('the id of a job', () => {
  it('stays the same', () => {
    expect(deriveJobId(job)).toBe('tls-f4be0e60fc0527a10708951f173eea4e')
    expect(deriveJobId({ ...job, parent: '1.0.0', bump: 'minor', rebuild: true })).toBe(
      'tls-522e987c55819add07a283dbab3ebdfd',
    )
    expect(deriveReleaseId('spring', [deriveJobId(job)])).toBe('release-272340587770d7bad84deba48c067d42')
  })

  it('differs if the source defaults of the same file differ', () => {
    const ids = [{}, { domain: 'One' }, { domain: 'Two' }].map((given) => {
      const request = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md', defaults: given })
      return deriveJobId(createJob({ ...request, actor }, undefined))
    })
    expect(new Set(ids).size).toBe(3)
  })
})
