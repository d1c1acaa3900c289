import { execFileSync } from 'node:child_process'
import { readSource, type PublishRequest } from '@packs/publisher'
import { expect, it, onTestFinished } from 'vitest'
import { writeSource } from '../sources.ts'
import { failures } from './list-failures.ts'
import { openQueueSite } from './open-queue-site.ts'

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)]
const wait = { wait: true }

function requestFrom(path: string, gitCommit: string, slug = 'joined'): PublishRequest {
  const bytes = Buffer.from(writeSource(slug, '# A\n\nSome text.\n'))
  return { ...readSource({ bytes, path }), gitCommit, actor: { kind: 'operator', id: gitCommit } }
}

it('records the path, commit and actor of the publish that joined a waiting job', async () => {
  const { catalog, runner, startWorker } = await openQueueSite()
  const [first] = await runner.publish([requestFrom('a.md', OLD)])
  const joined = runner.publish([requestFrom('docs/b.md', NEW)], wait)
  await startWorker()
  expect(await joined).toMatchObject([{ status: 'published', job: first!.job }])
  expect(await catalog.packs.provenance('joined', '1.0.0')).toMatchObject({
    path: 'docs/b.md',
    git_commit: NEW,
  })
  expect(await catalog.audit.list({ limit: 1 })).toMatchObject([{ actor: { id: NEW } }])
})

it.each(['a.md', 'docs/b.md'])(
  'records the commit and the path %s of the publish that joined a running job, and then no later one',
  async (path) => {
    const { catalog, runner, startWorker, waitForJob } = await openQueueSite()
    const frozen = Promise.withResolvers<void>()
    await startWorker({
      onLine({ slug }, message) {
        if (slug !== 'joined' || message !== 'job started') return
        // The job process exists since the first job. It gets the message to start this one when it continues.
        signalJobProcess('SIGSTOP')
        frozen.resolve()
      },
    })
    await runner.publish([requestFrom('first.md', OLD, 'first')], wait)
    const [first] = await runner.publish([requestFrom('a.md', OLD)])
    await frozen.promise
    onTestFinished(() => signalJobProcess('SIGCONT'))
    await waitForJob(first!.job!, 'active')
    const [joined] = await runner.publish([requestFrom(path, NEW)])
    expect(joined).toMatchObject({ status: 'queued', job: first!.job })
    signalJobProcess('SIGCONT')
    await waitForJob(first!.job!, 'completed')
    expect(await runner.publish([requestFrom('late.md', OLD)], wait)).toMatchObject([{ status: 'unchanged' }])
    expect(await catalog.packs.provenance('joined', '1.0.0')).toMatchObject({ path, git_commit: NEW })
    expect(await catalog.packs.versions('joined')).toHaveLength(1)
    expect(await catalog.audit.list({ limit: 1 })).toMatchObject([{ actor: { id: NEW } }])
  },
)

/** Sends a signal to the only job process of the worker, which this process has started. */
function signalJobProcess(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'bullmq'], { encoding: 'utf8' })
  process.kill(Number(pid), signal)
}

it('records the paths and commits of the release that joined a waiting one', async () => {
  const { catalog, runner, startWorker } = await openQueueSite()
  const members = (path: string, commit: string): PublishRequest[] =>
    ['joined', 'other'].map((slug) => requestFrom(`${path}/${slug}.md`, commit, slug))
  await runner.release('r', members('a', OLD))
  const joined = runner.release('r', members('docs', NEW), wait)
  await startWorker()
  expect(await joined).toMatchObject([{ status: 'published' }, { status: 'published' }])
  for (const slug of ['joined', 'other']) {
    expect(await catalog.packs.provenance(slug, '1.0.0')).toMatchObject({
      path: `docs/${slug}.md`,
      git_commit: NEW,
    })
  }
})

it('gives a failed job one run, with the data of one of many publishes at the same time', async () => {
  const { catalog, runner, failed } = await failures[0]!.fail(requestFrom('a.md', OLD))
  const commits = Array.from({ length: 20 }, (_, at) => String(at % 10).repeat(40))
  const all = await Promise.all(commits.map((commit) => runner.publish([requestFrom('a.md', commit)], wait)))
  expect(all.flat().every(({ code, version }) => code === null && version === '1.0.0')).toBe(true)
  expect(await catalog.packs.versions('joined')).toHaveLength(1)
  const { git_commit: recorded } = (await catalog.packs.provenance('joined', '1.0.0'))!
  expect(commits).toContain(recorded)
  expect(all.flat().some(({ job }) => job === failed.job)).toBe(true)
})

it('forgets the workers that a job has lost before it is published again', async () => {
  const { runner, queue } = await openQueueSite()
  const [first] = await runner.publish([requestFrom('a.md', OLD)])
  await queue.connection.hset(queue.queue.toKey(first!.job!), 'stc', '2')
  await runner.publish([requestFrom('a.md', NEW)])
  expect((await queue.queue.getJob(first!.job!))!.stalledCounter).toBe(0)
})
