import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createInProcessRunner, openOwnJobs } from '@packs/publisher'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openTestCatalog, request, writeSource } from '../sources.ts'

const PROGRAM = fileURLToPath(new URL('../processes/publish-and-die.ts', import.meta.url))
const NOW = new Date('2026-03-08T12:00:00Z')

// A publish of two sources is two jobs, and the second had not started; a release is one job.
it.each([
  ['before', 'single', ['a failed 1'], ['a completed 2', 'b completed 1']],
  ['after', 'single', ['a completed 1'], ['a completed 1', 'b completed 1']],
  ['before', 'release', ['r failed 1'], ['r completed 2']],
  ['after', 'release', ['r completed 1'], ['r completed 1']],
])(
  'lists the job of a process killed %s the commit of a %s, and publishes once when run again',
  async (when, kind, killed, again) => {
    const { catalog, url } = await openTestCatalog()
    const { signal } = spawnSync(process.execPath, ['-C', 'source', PROGRAM, url, when, kind])
    expect(signal).toBe('SIGKILL')
    const list = async (): Promise<string[]> =>
      (await openOwnJobs(catalog, NOW).list(9))
        .map(({ slug, state, attempts }) => `${slug} ${state} ${attempts}`)
        .toSorted()
    expect(await list()).toEqual(killed)
    expect(await list()).toEqual(killed)
    const [job] = await openOwnJobs(catalog, NOW).list(9)
    expect(await openOwnJobs(catalog, NOW).find(job!.id)).toEqual(job)
    expect(job!.error ?? '').toMatch(
      when === 'after' ? /^$/ : /^job_abandoned: .* nothing was published: publish again$/,
    )

    const runner = createInProcessRunner(catalog)
    const requests = ['a', 'b'].map((slug) => request(writeSource(slug, `# ${slug}\n`)))
    await (kind === 'release' ? runner.release('r', requests) : runner.publish(requests))
    expect(await list()).toEqual(again)
    expect(await catalog.sequence()).toBe(2)
    for (const slug of ['a', 'b']) expect(await catalog.packs.versions(slug)).toHaveLength(1)
  },
)

it('treats a job as active while its process runs, and a job of another machine for two minutes', async () => {
  const { catalog } = await openTestCatalog()
  const states = async (now: Date): Promise<string[]> =>
    (await openOwnJobs(catalog, now).list(9)).map(({ id, state }) => `${id} ${state}`).toSorted()
  const job = { slug: 'y', state: 'active', attempts: 1, release: null, data: null } as const
  let held: string[] = []
  const runner = createInProcessRunner({
    ...catalog,
    packs: {
      ...catalog.packs,
      async commit(versions) {
        held = await states(new Date())
        return catalog.packs.commit(versions)
      },
    },
  })
  const [done] = await runner.publish([request(writeSource('x', '# X\n'))])
  expect(held).toEqual([`${done!.job} active`])

  await catalog.jobs.accept([], () => [
    { ...job, id: 'elsewhere', owner: 'another-machine 1 2' },
    { ...job, id: 'nobody', owner: null },
    // This process has this id, but another start time.
    { ...job, id: 'used-again', owner: `${hostname()} ${process.pid} 0` },
  ])
  const today = ['elsewhere active', 'nobody active', 'used-again failed', `${done!.job} completed`]
  expect(await states(new Date())).toEqual(today.toSorted())
  const later = ['elsewhere failed', 'nobody failed', 'used-again failed', `${done!.job} completed`]
  expect(await states(new Date(Date.now() + 180_000))).toEqual(later.toSorted())
})

it.runIf(existsSync('/proc/self/stat'))(
  'treats a killed process as gone that its parent has not waited for',
  async () => {
    const { catalog } = await openTestCatalog()
    // The child ends once the shell has become a program that waits for no child.
    const child = 'while [ "$(cat /proc/$$/comm)" != sleep ]; do sleep 0.1; done'
    const shell = spawn('sh', ['-c', `{ ${child}; } & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void shell.kill('SIGKILL'))
    const [line] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = line.toString().trim()
    const readStat = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    await vi.waitFor(() => expect(readStat()[0]).toBe('Z'), { timeout: 60_000 })
    const owner = `${hostname()} ${pid} ${readStat()[19]}`
    const job = {
      id: 'x',
      slug: 'x',
      state: 'active',
      attempts: 1,
      owner,
      release: null,
      data: null,
    } as const
    await catalog.jobs.accept([], () => [job])
    expect(await openOwnJobs(catalog, NOW).find('x')).toMatchObject({ state: 'failed' })
  },
)
