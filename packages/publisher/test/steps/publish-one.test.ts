import type { Catalog } from '@packs/catalog'
import { expect, it } from 'vitest'
import type { PublishResult } from '../../src/runner.ts'
import { commitVersions, publishOne } from '../../src/steps/commit-versions.ts'
import { deduplicateRequest } from '../../src/steps/job-result.ts'
import { type PublishJob, deriveJobId } from '../../src/steps/accept-jobs.ts'
import { prepareVersion } from '../../src/steps/prepare-version.ts'
import { buildVersion } from '../../src/version-builder/decide-version.ts'
import { openTestCatalog, request, writeSource } from '../sources.ts'

const TEXT = '# A\n\nSome text.\n'

async function createJob(catalog: Catalog, body: string, rebuild = false): Promise<PublishJob> {
  const next = await deduplicateRequest(catalog, request(writeSource('a', body), { rebuild }))
  if ('result' in next) throw new Error('no job was made')
  return next.job
}

function run(catalog: Catalog, job: PublishJob): Promise<PublishResult> {
  return publishOne({ catalog, build: buildVersion }, job, deriveJobId(job), () => undefined)
}

async function listVersions(catalog: Catalog): Promise<string[]> {
  return (await catalog.packs.versions('a')).map(({ version }) => version)
}

it('commits a job once that the queue delivers twice', async () => {
  const { catalog } = await openTestCatalog()
  const job = await createJob(catalog, TEXT)
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  const again = await createJob(catalog, TEXT, true)
  expect(await run(catalog, again)).toMatchObject({ status: 'published', version: '1.0.1' })
  expect(await run(catalog, again)).toMatchObject({ status: 'published', version: '1.0.1' })
  expect(await listVersions(catalog)).toEqual(['1.0.1', '1.0.0'])
})

it('does not publish an older version again when a delayed job finishes', async () => {
  const { catalog } = await openTestCatalog()
  const job = await createJob(catalog, TEXT)
  const frozen = await prepareVersion(
    { catalog, build: buildVersion },
    job,
    deriveJobId(job),
    () => undefined,
  )
  await run(catalog, job)
  await run(catalog, await createJob(catalog, '# B\n'))
  if (!('prepared' in frozen)) throw new Error('no job was made')
  expect(await commitVersions(catalog, [frozen.prepared])).toMatchObject([
    { status: 'unchanged', version: '1.0.0' },
  ])
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  expect(await listVersions(catalog)).toEqual(['2.0.0', '1.0.0'])
})

it('decides the number again if another version is published between build and commit', async () => {
  const { catalog } = await openTestCatalog()
  await run(catalog, await createJob(catalog, TEXT))
  const job = await createJob(catalog, `${TEXT}\nMore.\n`)
  const late = await prepareVersion({ catalog, build: buildVersion }, job, deriveJobId(job), () => undefined)
  if (!('prepared' in late)) throw new Error('no job was made')
  expect(late.prepared.decision.version).toBe('1.1.0')
  await run(catalog, await createJob(catalog, `${TEXT}\n## New\n\nMore.\n`))
  const [result] = await commitVersions(catalog, [late.prepared])
  expect(result).toMatchObject({ status: 'published', version: '2.0.0', level: 'major' })
  expect(await catalog.packs.provenance('a', '2.0.0')).toMatchObject({ job: deriveJobId(job) })
  const version = await catalog.packs.version('a', '2.0.0')
  expect(JSON.parse(Buffer.from(version!.document).toString())).toMatchObject({ version: '2.0.0' })
})

it('derives job ids from the content of jobs, so that a roll-back is another job', async () => {
  const { catalog } = await openTestCatalog()
  const first = await createJob(catalog, TEXT)
  expect(deriveJobId(first)).toBe(deriveJobId(await createJob(catalog, TEXT)))
  await run(catalog, first)
  await run(catalog, await createJob(catalog, '# B\n'))
  const names = [
    deriveJobId(first),
    deriveJobId(await createJob(catalog, TEXT)),
    deriveJobId({ ...first, bump: 'major' }),
  ]
  expect(new Set(names).size).toBe(3)
  expect(names.every((name) => /^a-[0-9a-f]{32}$/.test(name))).toBe(true)
})
