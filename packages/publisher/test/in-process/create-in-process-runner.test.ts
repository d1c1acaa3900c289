import { CatalogError, type Catalog } from '@packs/catalog'
import { createInProcessRunner } from '@packs/publisher'
import { expect, it } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { describeGivenValues } from '../describe-given-values.ts'
import { describeRunner, type FailingPublish, type RunnerUnderTest } from '../describe-runner.ts'
import { openTestCatalog, request, writeSource } from '../sources.ts'

const failures: readonly FailingPublish[] = [
  {
    cause: 'a build that took too long',
    code: 'build_timeout',
    async fail(source) {
      const { catalog } = await openTestCatalog()
      // The thread cannot even start in this time.
      const [failed] = await createInProcessRunner(catalog, { buildSeconds: 0.001 }).publish([source])
      return { catalog, runner: createInProcessRunner(catalog), failed: failed! }
    },
  },
  {
    cause: 'a source that had gone',
    code: 'source_missing',
    fail: (source) =>
      failOnce(source, (catalog) => ({
        ...catalog,
        sources: { ...catalog.sources, get: () => Promise.resolve(undefined) },
      })),
  },
  {
    cause: 'a database that was away',
    code: 'catalog_unavailable',
    fail: (source) =>
      failOnce(source, (catalog) => ({
        ...catalog,
        packs: {
          ...catalog.packs,
          commit: () =>
            Promise.reject(new CatalogError('catalog_unavailable', 'The database is away', 'Wait.')),
        },
      })),
  },
]

/** One runner for all tests: its thread takes longer to start than to build a small source. */
const { catalog } = await openTestCatalog()
const shared = { catalog, runner: createInProcessRunner(catalog) }
closeLater(() => shared.runner.close())
const open = (): Promise<RunnerUnderTest> => Promise.resolve(shared)

describeRunner('the in-process runner', open, failures)
describeGivenValues('the in-process runner', open)

async function failOnce(
  source: Parameters<FailingPublish['fail']>[0],
  breakCatalog: (catalog: Catalog) => Catalog,
): ReturnType<FailingPublish['fail']> {
  const { catalog } = await openTestCatalog()
  const [failed] = await createInProcessRunner(breakCatalog(catalog)).publish([source])
  return { catalog, runner: createInProcessRunner(catalog), failed: failed! }
}

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
