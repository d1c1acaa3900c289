import type { Catalog } from '@packs/catalog'
import { expect, it } from 'vitest'
import type { PublishResult } from '../../src/runner.ts'
import { admitRequest } from '../../src/steps/admit-request.ts'
import { type PublishJob, nameJob } from '../../src/steps/job-data.ts'
import { commitVersions } from '../../src/steps/commit-versions.ts'
import { prepareVersion } from '../../src/steps/prepare-version.ts'
import { publishOne } from '../../src/steps/publish-one.ts'
import { openTestCatalog, request, writeSource } from '../sources.ts'

const TEXT = '# A\n\nSome text.\n'

async function admit(catalog: Catalog, body: string, rebuild = false): Promise<PublishJob> {
  const admission = await admitRequest(catalog, request(writeSource('a', body), { rebuild }))
  if ('result' in admission) throw new Error('settled already')
  return admission.job
}

function run(catalog: Catalog, job: PublishJob): Promise<PublishResult> {
  return publishOne(catalog, job, nameJob(job), () => undefined)
}

async function listVersions(catalog: Catalog): Promise<string[]> {
  return (await catalog.packs.versions('a')).map(({ version }) => version)
}

it('commits once what a queue delivers twice', async () => {
  const { catalog } = await openTestCatalog()
  const job = await admit(catalog, TEXT)
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  const again = await admit(catalog, TEXT, true)
  expect(await run(catalog, again)).toMatchObject({ status: 'published', version: '1.0.1' })
  expect(await run(catalog, again)).toMatchObject({ status: 'published', version: '1.0.1' })
  expect(await listVersions(catalog)).toEqual(['1.0.1', '1.0.0'])
})

it('does not bring back, late, a version that others have followed', async () => {
  const { catalog } = await openTestCatalog()
  const job = await admit(catalog, TEXT)
  const frozen = await prepareVersion(catalog, job, nameJob(job), () => undefined)
  await run(catalog, job)
  await run(catalog, await admit(catalog, '# B\n'))
  if (!('prepared' in frozen)) throw new Error('settled already')
  expect(await commitVersions(catalog, [frozen.prepared])).toMatchObject([
    { status: 'unchanged', version: '1.0.0' },
  ])
  expect(await run(catalog, job)).toMatchObject({ status: 'published', version: '1.0.0' })
  expect(await listVersions(catalog)).toEqual(['2.0.0', '1.0.0'])
})

it('decides again where another version came between build and commit', async () => {
  const { catalog } = await openTestCatalog()
  await run(catalog, await admit(catalog, TEXT))
  const job = await admit(catalog, `${TEXT}\nMore.\n`)
  const late = await prepareVersion(catalog, job, nameJob(job), () => undefined)
  if (!('prepared' in late)) throw new Error('settled already')
  expect(late.prepared.decision.version).toBe('1.1.0')
  await run(catalog, await admit(catalog, `${TEXT}\n## New\n\nMore.\n`))
  const [result] = await commitVersions(catalog, [late.prepared])
  expect(result).toMatchObject({ status: 'published', version: '2.0.0', level: 'major' })
  expect(await catalog.packs.provenance('a', '2.0.0')).toMatchObject({ job: nameJob(job) })
  const version = await catalog.packs.version('a', '2.0.0')
  expect(JSON.parse(Buffer.from(version!.document).toString())).toMatchObject({ version: '2.0.0' })
})

it('names jobs after what they do, so that a roll-back is another job', async () => {
  const { catalog } = await openTestCatalog()
  const first = await admit(catalog, TEXT)
  expect(nameJob(first)).toBe(nameJob(await admit(catalog, TEXT)))
  await run(catalog, first)
  await run(catalog, await admit(catalog, '# B\n'))
  const names = [nameJob(first), nameJob(await admit(catalog, TEXT)), nameJob({ ...first, bump: 'major' })]
  expect(new Set(names).size).toBe(3)
  expect(names.every((name) => /^a-[0-9a-f]{32}$/.test(name))).toBe(true)
})
