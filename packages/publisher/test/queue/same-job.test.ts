import { readSource, type PublishRequest } from '@packs/publisher'
import { expect, it } from 'vitest'
import { writeSource } from '../sources.ts'
import { failures } from './list-failures.ts'
import { openQueueSite } from './open-queue-site.ts'

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)]
const wait = { wait: true }

function requestFrom(path: string, gitCommit: string, slug = 'same'): PublishRequest {
  const bytes = Buffer.from(writeSource(slug, '# A\n\nSome text.\n'))
  return { ...readSource({ bytes, path }), gitCommit, actor: { kind: 'operator', id: gitCommit } }
}

it('gives a publish and a release of the same sources the job and the answer of the first', async () => {
  const { catalog, runner, startWorker } = await openQueueSite()
  const members = (path: string, commit: string): PublishRequest[] =>
    ['one', 'two'].map((slug) => requestFrom(`${path}/${slug}.md`, commit, slug))
  const publish = (path: string, commit: string, options = {}) =>
    Promise.all([
      runner.publish([requestFrom(`${path}/same.md`, commit)], options),
      runner.release('r', members(path, commit), options),
    ])
  const [[first]] = await publish('a', OLD)
  const again = publish('docs', NEW, wait)
  await startWorker()
  const status = 'published'
  expect(await again).toMatchObject([[{ status, job: first!.job }], [{ status }, { status }]])
  for (const slug of ['same', 'one', 'two'])
    expect(await catalog.packs.provenance(slug, '1.0.0')).toMatchObject({
      path: `a/${slug}.md`,
      git_commit: OLD,
    })
  expect((await catalog.audit.list({ limit: 3 })).map(({ actor }) => actor.id)).toEqual([OLD, OLD, OLD])
})

it('gives a failed job one run, with the data of one of many publishes at the same time', async () => {
  const { catalog, runner, failed } = await failures[0]!.fail(requestFrom('a.md', OLD))
  const commits = Array.from({ length: 20 }, (_, at) => String(at % 10).repeat(40))
  const all = await Promise.all(commits.map((commit) => runner.publish([requestFrom('a.md', commit)], wait)))
  expect(all.flat().every(({ code, version }) => code === null && version === '1.0.0')).toBe(true)
  expect(await catalog.packs.versions('same')).toHaveLength(1)
  const { git_commit: recorded } = (await catalog.packs.provenance('same', '1.0.0'))!
  expect(commits).toContain(recorded)
  expect(all.flat().some(({ job }) => job === failed.job)).toBe(true)
})
