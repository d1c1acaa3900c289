import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { loadQueue } from '@packs/publisher'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startOwnRedis, startRedis } from '../../../../test-kit/test/start-redis.ts'
import { createMeasurement, renderDependencyMetrics } from '../../../src/serve/metrics.ts'
import { runInProcess } from '../../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack, startPack } from '../../../../test-kit/test/run-pack.ts'

const { openQueue } = await loadQueue()

const redis = await startRedis()

it('processes the queue, and exits on SIGTERM', async () => {
  const cwd = makeFolder({ 'a.md': '# A of source\n', 'b.md': '# B of source\n' })
  const env = { DATABASE_URL: '', REDIS_URL: redis.url, PACK_DATA: 'data' }
  const worker = startPack(['worker', '--concurrency', '1', '--json'], { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  const ended = once(worker, 'close')
  const out: Buffer[] = []
  const log: Buffer[] = []
  worker.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  worker.stderr?.on('data', (chunk: Buffer) => log.push(chunk))
  const publish = await runInProcess(['publish', '.', '--wait', '--json'], { cwd, env })
  expect(publish.status).toBe(0)
  expect(JSON.parse(publish.stdout)).toMatchObject({
    ok: true,
    published: [
      { slug: 'a', version: '1.0.0', status: 'published' },
      { slug: 'b', version: '1.0.0', status: 'published' },
    ],
  })
  const release = await runInProcess(['publish', '.', '--rebuild', '--release', 'r 1', '--wait', '--json'], {
    cwd,
    env,
  })
  expect(JSON.parse(release.stdout)).toMatchObject({
    ok: true,
    published: [{ version: '1.0.1' }, { version: '1.0.1' }],
  })
  const jobs = await runInProcess(['jobs', '--json'], { cwd, env })
  expect(JSON.parse(jobs.stdout)).toMatchObject({
    jobs: expect.arrayContaining([expect.objectContaining({ slug: 'r 1' })]),
  })
  worker.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(JSON.parse(Buffer.concat(out).toString())).toEqual({ ok: true, drained: true })
  const lines = Buffer.concat(log).toString().trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    expect.arrayContaining(['worker started', 'job started', 'job done', 'worker ended']),
  )
  expect(lines.join('\n')).not.toMatch(/redis:|of source|A of|B of/)
})

it('puts failed jobs back into the queue, as the audit log says', async () => {
  const cwd = makeFolder({ 'a.md': '---\nslug: again\nbudget: 1\n---\n# A\n' })
  const env = {
    DATABASE_URL: '',
    REDIS_URL: (await startOwnRedis()).url,
    PACK_DATA: 'data',
    PACK_OPERATOR_NAME: 'ada',
  }
  const run = (...args: string[]) => runInProcess([...args, '--json'], { cwd, env })
  const worker = startPack(['worker', '--concurrency', '1'], { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  expect((await run('publish', 'a.md', '--wait')).status).not.toBe(0)
  const find = async () =>
    (JSON.parse((await run('jobs')).stdout) as { jobs: { id: string; state: string }[] }).jobs[0]!
  await vi.waitFor(async () => expect((await find()).state).toBe('failed'), { timeout: 30_000 })
  const { id } = await find()
  const ended = once(worker, 'close')
  worker.kill('SIGTERM')
  await ended
  const short = id.slice(0, -24)
  expect(JSON.parse((await run('jobs', 'retry', short)).stdout)).toEqual({ retried: [id] })
  expect(await find()).toMatchObject({ id, state: 'waiting', attempts: 0 })
  const audit = await run('audit', '--action', 'job.retried')
  expect(JSON.parse(audit.stdout)).toMatchObject({
    entries: [{ actor: { kind: 'operator', id: 'ada' }, target: id, details: { slug: 'again' } }],
  })
  const refused = async (...args: string[]) => {
    const { status, stdout } = await run('jobs', 'retry', ...args)
    return [status, (JSON.parse(stdout) as { error: { code: string } }).error.code]
  }
  expect(await refused(id)).toEqual([4, 'job_not_failed'])
  expect(await refused('nobody-0')).toEqual([1, 'unknown_job'])
  expect(await refused()).toEqual([2, 'usage'])
  expect(JSON.parse((await run('jobs', 'retry', '--failed')).stdout)).toEqual({ retried: [] })
  env.REDIS_URL = ''
  const bare = await run('jobs', 'retry', '--failed')
  expect([bare.status, bare.stdout]).toEqual([2, expect.stringContaining('publish the sources again')])
})

it('has health and metrics on --admin-port', async () => {
  const own = await startOwnRedis()
  const cwd = makeFolder({ 'a.md': '# A\n', 'bad.md': '---\nbudget: 1\n---\n# Bad\n' })
  const token = 'a-token-of-the-operator'
  const env = { DATABASE_URL: '', REDIS_URL: own.url, PACK_DATA: 'data', PACK_OPERATOR_TOKEN: token }
  const args = ['worker', '--concurrency', '1', '--admin-port', '0', '--deadline', '1']
  const worker = startPack(args, { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  const started = Promise.withResolvers<number>()
  createInterface(worker.stderr!).on('line', (line) => {
    const { admin_port } = JSON.parse(line) as { admin_port?: number }
    if (admin_port !== undefined) started.resolve(admin_port)
  })
  const admin = `http://127.0.0.1:${await started.promise}`
  const readHealth = async () => {
    const response = await fetch(`${admin}/readyz`)
    return [response.status, (await response.json()) as unknown]
  }
  const version = expect.stringMatching(/^\d+\.\d+\.\d+$/)
  await vi.waitFor(async () => expect(await readHealth()).toEqual([200, { status: 'ready', version }]))
  expect((await fetch(`${admin}/livez`)).status).toBe(200)
  expect((await fetch(`${admin}/metrics`)).status).toBe(401)
  await runInProcess(['publish', '.', '--wait'], { cwd, env })
  const headers = { authorization: `Bearer ${token}` }
  const readMetrics = async () => (await fetch(`${admin}/metrics`, { headers })).text()
  await vi.waitFor(async () => {
    const text = await readMetrics()
    expect(text).toMatch(/^packs_publish_seconds_count\{result="done"\} 1$/m)
    expect(text).toMatch(/^packs_publish_seconds_count\{result="bad_source"\} 1$/m)
    expect(text).toMatch(/^packs_build_info\{version="/m)
    expect(text).toMatch(/^packs_queue_jobs\{state="failed"\} 1$/m)
    expect(text).toMatch(/^packs_dependency_up\{dependency="redis"\} 1$/m)
  })
  await own.kill()
  const away = { status: 'redis away', failing: ['redis'], version }
  await vi.waitFor(async () => expect(await readHealth()).toEqual([503, away]), { timeout: 30_000 })
})

it('logs only lines of JSON, without a password, also after losing Redis', async () => {
  const own = await startOwnRedis()
  const cwd = makeFolder({ 'a.md': '# A\n' })
  // This Redis needs no password, which its client may warn about.
  const env = { DATABASE_URL: '', REDIS_URL: own.url.replace('//', '//:hush@'), PACK_DATA: 'data' }
  const worker = startPack(['worker', '--concurrency', '1', '--deadline', '1'], { cwd, env })
  onTestFinished(() => void worker.kill('SIGKILL'))
  const ended = once(worker, 'close')
  const lines: string[] = []
  createInterface(worker.stderr!).on('line', (line) => lines.push(line))
  const hear = (text: string): Promise<void> =>
    vi.waitFor(() => expect(lines.join('\n')).toContain(text), { timeout: 90_000 })
  await hear('waiting for jobs')
  await runInProcess(['publish', 'a.md'], { cwd, env })
  await hear('job done')
  await own.kill()
  await hear('the queue cannot be reached')
  worker.kill('SIGTERM')
  await ended
  expect(lines.map((line) => typeof (JSON.parse(line) as { msg: unknown }).msg)).toEqual(
    lines.map(() => 'string'),
  )
  expect(lines.join('\n')).not.toContain('hush')
})

it('renders the queue metrics for Prometheus', async () => {
  const cwd = makeFolder({ 'waiting.md': '# Waiting\n' })
  await runInProcess(['publish', 'waiting.md'], { cwd, env: { DATABASE_URL: '', REDIS_URL: redis.url } })
  const queue = await openQueue(redis.url)
  onTestFinished(() => queue.close())
  const watch = createMeasurement(() => queue.measure(Date.now() + 5000))
  const text = await renderDependencyMetrics([], watch)
  expect(text).toMatch(/^packs_dependency_up\{dependency="redis"\} 1$/m)
  expect(text).toMatch(/^# TYPE packs_queue_jobs gauge$/m)
  expect(text).toMatch(/^packs_queue_jobs\{state="waiting"\} 1$/m)
  expect(text).toMatch(/^packs_queue_jobs\{state="failed"\} 0$/m)
  expect(text).toMatch(/^packs_queue_workers 0$/m)
  expect(Number(/^packs_queue_oldest_wait_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(5)
  await queue.queue.add('publish', { slug: '\u001b[2J' }, { jobId: 'a\u001b]0;b' })
  const { stdout } = await runInProcess(['jobs'], { cwd, env: { DATABASE_URL: '', REDIS_URL: redis.url } })
  expect([stdout.includes(']0;b'), stdout.includes('\u001b')]).toEqual([true, false])
})

it('does not start without a queue', async () => {
  const cwd = makeFolder()
  const bare = await runPack(['worker', '--json'], { cwd, env: { DATABASE_URL: '', REDIS_URL: '' } })
  expect(bare.status).toBe(2)
  expect(JSON.parse(bare.stdout)).toMatchObject({ ok: false, error: { code: 'usage' } })
  const unreachable = await runPack(['worker', '--json'], {
    cwd,
    env: { DATABASE_URL: '', REDIS_URL: 'redis://127.0.0.1:1' },
  })
  expect(unreachable.status).toBe(5)
})
