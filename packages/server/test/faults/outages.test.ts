import { it } from 'vitest'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { createRequest } from './create-requests.ts'
import {
  countLines,
  expectAllPublished,
  PAUSED,
  QUEUE_AWAY,
  QUEUE_BACK,
  RESUMED,
  startPublishing,
} from './publish-through-outage.ts'
import { formatDuration, reportFigure } from './report-figure.ts'

const postgres = await usePostgres(true)

it('Postgres, then Redis too, killed under load → workers wait, no attempt is used, each published once', async (context) => {
  const { expect } = context
  const outage = await startPublishing(context, postgres, 30)
  const { site, workers } = outage
  await postgres.kill()
  for (const worker of workers) await worker.waitForLine({ msg: PAUSED, code: 'catalog_unavailable' })
  expect(await site.count('failed')).toBe(0)
  const noted = Promise.withResolvers<string>()
  const late = site.runner.publish([createRequest('late')], { patience: 90_000, onNote: noted.resolve })
  expect(await noted.promise).toMatch(/^The database cannot answer: .*; waiting up to 2 minutes$/)
  await site.redis.kill()
  for (const worker of workers) await worker.waitForLine({ msg: QUEUE_AWAY, code: 'queue_unavailable' })
  await site.redis.start()
  for (const worker of workers) await worker.waitForLine({ msg: QUEUE_BACK })
  await postgres.start()
  const back = performance.now()
  expect(await late).toMatchObject([{ status: 'queued' }])
  await site.runner.publish([createRequest('late')], { wait: true })
  const again = await expectAllPublished(context, outage, 31)
  reportFigure(
    context,
    `31 of 31 published ${formatDuration(back)} after both were back, ${again} of them started again`,
  )
  for (const worker of workers)
    expect(countLines(worker, PAUSED, RESUMED, QUEUE_AWAY, QUEUE_BACK)).toEqual([1, 1, 1, 1])
})
