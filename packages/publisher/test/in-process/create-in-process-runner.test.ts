import { createInProcessRunner } from '@packs/publisher'
import { expect, it } from 'vitest'
import { describeRunner } from '../describe-runner.ts'
import { openTestCatalog, request, writeSource } from '../sources.ts'

describeRunner('the in-process runner', async () => {
  const { catalog } = await openTestCatalog()
  return { catalog, runner: createInProcessRunner(catalog) }
})

it('records its jobs', async () => {
  const { catalog } = await openTestCatalog()
  const runner = createInProcessRunner(catalog)
  const [good] = await runner.publish([request(writeSource('good', '# A\n'))])
  const bad = request(writeSource('bad', '# A\n', 'budget: 1\n'))
  const [first] = await runner.publish([bad])
  await runner.publish([bad])
  expect(await catalog.jobs.get(good!.job!)).toMatchObject({
    slug: 'good',
    state: 'completed',
    progress: 100,
    attempts: 1,
  })
  expect(await catalog.jobs.get(first!.job!)).toMatchObject({
    slug: 'bad',
    state: 'failed',
    attempts: 2,
    error: 'bad_source: a.md has an error on line 7: over-budget',
  })
})
