import { extname } from 'node:path'
import { createByteBudget, MAX_INLINE_BYTES, openCatalog, type TaskOptions } from '@packs/catalog'
import { expect, it, onTestFinished } from 'vitest'
import {
  createCatalogThread,
  type CatalogThread,
  type CatalogThreadOptions,
} from '../../src/reading/create-catalog-thread.ts'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { openTestCatalog } from '../../../test-kit/test/test-database.ts'
import { work, type Result, type Task } from './slow-work.ts'

const { catalog } = await openTestCatalog()
await catalog.packs.commit([makeVersion({ slug: 'tls' })])
/** The thread of all tests that need no settings. */
const shared = createCatalogThread(catalog)
closeLater(() => shared.close())

const slowWork = { module: new URL(`./slow-work${extname(import.meta.url)}`, import.meta.url).href, work }

/** A queue of a thread, with one work. */
interface TestQueue {
  run(task: Task, options?: TaskOptions): Promise<Result>
}

function createQueue(maxWaiting?: number, thread = shared): TestQueue {
  const queue = thread.createQueue(maxWaiting)
  return { run: (task, options) => queue.run(slowWork, task, options) }
}

/** Starts a thread of one test. */
function start(options: CatalogThreadOptions = {}, of = catalog): CatalogThread {
  const thread = createCatalogThread(of, options)
  onTestFinished(() => thread.close())
  return thread
}

const closed = (): SharedArrayBuffer => new SharedArrayBuffer(8)

function open(gate: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
}

/** Waits until a task has begun to block the thread. */
async function waitForHold(gate: SharedArrayBuffer): Promise<void> {
  await Atomics.waitAsync(new Int32Array(gate), 1, 0).value
}

it('refuses tasks while too many wait, except those of a response that has begun', async () => {
  const thread = createQueue(2)
  const gate = closed()
  const tasks = [thread.run({ kind: 'hold', gate }), thread.run({ kind: 'version' })]
  await expect(thread.run({ kind: 'version' })).rejects.toMatchObject({ code: 'catalog_busy' })
  tasks.push(thread.run({ kind: 'version' }, { isBegun: true }))
  open(gate)
  await Promise.all(tasks)
  expect(await thread.run({ kind: 'version' })).toMatchObject({ version: '1.0.0' })
})

it('takes the tasks of owners in turn, and refuses one owner before the others', async () => {
  const thread = createQueue(8)
  const gate = closed()
  const order: string[] = []
  const run = (task: Task, owner: string): Promise<unknown> =>
    thread.run(task, { owner }).then(() => order.push(owner))
  const tasks = [run({ kind: 'hold', gate }, 'a'), run({ kind: 'version' }, 'a')]
  await expect(run({ kind: 'version' }, 'a')).rejects.toMatchObject({ code: 'too_many_at_once' })
  tasks.push(run({ kind: 'version' }, 'b'), run({ kind: 'version' }, 'b'), run({ kind: 'version' }, 'c'))
  open(gate)
  await Promise.all(tasks)
  expect(order).toEqual(['a', 'a', 'b', 'c', 'b'])
})

it('takes the tasks of queues in turn, each with its own slots', async () => {
  const [thread, other] = [createQueue(4), createQueue(4)]
  const gate = closed()
  const order: string[] = []
  const run = (queue: TestQueue, owner: string, task: Task = { kind: 'version' }): Promise<unknown> =>
    queue.run(task, { owner }).then(() => order.push(owner))
  const tasks = [
    run(thread, 'a', { kind: 'hold', gate }),
    run(thread, 'b'),
    run(thread, 'c'),
    run(thread, 'd'),
  ]
  await expect(run(thread, 'e')).rejects.toMatchObject({ code: 'catalog_busy' })
  tasks.push(run(other, 'x'), run(other, 'y'))
  open(gate)
  await Promise.all(tasks)
  expect(order).toEqual(['a', 'x', 'b', 'y', 'c', 'd'])
})

it('does a task with a small document in the thread of the caller', async () => {
  const queue = shared.createQueue()
  const missing = { module: 'file:///missing', work }
  expect(await queue.run(missing, { kind: 'version' }, { bytes: MAX_INLINE_BYTES })).toMatchObject({
    version: '1.0.0',
  })
  await expect(
    queue.run(missing, { kind: 'version' }, { bytes: MAX_INLINE_BYTES + 1 }),
  ).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
})

it('fails only the task that ends the thread or takes too long, and starts again', async () => {
  const thread = createQueue(undefined, start({ timeout: 3000 }))
  const results = await Promise.allSettled([
    thread.run({ kind: 'crash' }),
    thread.run({ kind: 'version' }),
    thread.run({ kind: 'hold', gate: closed() }),
    thread.run({ kind: 'version' }),
  ])
  expect(results).toMatchObject([
    { reason: { code: 'catalog_unavailable', message: 'The thread that reads documents ended' } },
    { value: { version: '1.0.0' } },
    { reason: { code: 'catalog_unavailable' } },
    { value: { version: '1.0.0' } },
  ])
})

it('throws the error of its creator for a task that takes too long', async () => {
  const own = start({ timeout: 200, timeoutError: () => new RangeError('too much text') })
  const thread = createQueue(undefined, own)
  await expect(thread.run({ kind: 'hold', gate: closed() })).rejects.toThrow(new RangeError('too much text'))
})

it('drops an aborted task from the queue, and ends one that runs', async () => {
  const thread = createQueue(2)
  const gates = [closed(), closed()]
  const [running, waiting] = [new AbortController(), new AbortController()]
  const held = thread.run({ kind: 'hold', gate: gates[0]! }, { signal: running.signal })
  const dropped = thread.run({ kind: 'hold', gate: gates[1]! }, { signal: waiting.signal })
  await waitForHold(gates[0]!)
  waiting.abort(new Error('left'))
  await expect(dropped).rejects.toThrow('left')
  const after = thread.run({ kind: 'version' })
  running.abort(new Error('left too'))
  await expect(held).rejects.toThrow('left too')
  expect(await after).toMatchObject({ version: '1.0.0' })
  expect(new Int32Array(gates[1]!)[1]).toBe(0)
  await expect(thread.run({ kind: 'version' }, { signal: running.signal })).rejects.toThrow('left too')
})

it('passes errors on, and cannot write', async () => {
  const thread = createQueue()
  await expect(thread.run({ kind: 'damage' })).rejects.toMatchObject({
    name: 'CatalogError',
    code: 'catalog_damaged',
    message: 'broken',
    hint: 'restore',
    damaged: { slug: 'a', version: '1.0.0' },
  })
  const failed: unknown = await thread.run({ kind: 'fail' }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ name: 'TypeError', message: 'a mistake' })
  expect((failed as Error).stack).toContain('slow-work.ts')
  await expect(thread.run({ kind: 'write' })).rejects.toMatchObject({ code: 'catalog_unavailable' })
})

it('does the tasks of a database in memory in this thread', async () => {
  const memory = await openCatalog({ url: ':memory:' })
  await memory.packs.commit([makeVersion({ slug: 'tls', version: '2.0.0' })])
  const missing = { module: 'file:///missing', work }
  expect(await start({}, memory).createQueue().run(missing, { kind: 'version' })).toMatchObject({
    version: '2.0.0',
  })
  await memory.close()
})

it('rejects tasks after it was closed', async () => {
  const own = start()
  const thread = createQueue(undefined, own)
  await thread.run({ kind: 'version' })
  await own.close()
  await expect(thread.run({ kind: 'version' })).rejects.toMatchObject({ code: 'catalog_unavailable' })
})

it('gives out the bytes of a budget once, until they are returned', () => {
  const budget = createByteBudget(100)
  const release = budget.take(60, 'a')
  expect(() => budget.take(41, 'b')).toThrow(expect.objectContaining({ code: 'catalog_busy' }))
  budget.take(40, 'b')
  release()
  release()
  budget.take(60, 'c')
  expect(() => budget.take(1, 'd')).toThrow('Too many large packs')
})

it('gives an owner a quarter of a budget, or one response', () => {
  const budget = createByteBudget(100)
  const releases = [20, 5].map((bytes) => budget.take(bytes, 'a'))
  expect(() => budget.take(1, 'a')).toThrow(expect.objectContaining({ code: 'too_many_at_once' }))
  budget.take(70, 'b')
  for (const release of releases) release()
  budget.take(25, 'a')
})

it('answers other queries while a task blocks the thread, and does its tasks one after another', async () => {
  const thread = createQueue()
  const gates = [closed(), closed()]
  const held = gates.map((gate) => thread.run({ kind: 'hold', gate }))
  const after = thread.run({ kind: 'version' })
  await waitForHold(gates[0]!)
  expect(await catalog.packs.latest('tls')).toMatchObject({ version: '1.0.0' })
  await catalog.packs.commit([makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })])
  // The second task has not begun, because the first still blocks the thread.
  expect(new Int32Array(gates[1]!)[1]).toBe(0)
  for (const gate of gates) open(gate)
  await Promise.all(held)
  const { version, bytes } = await after
  expect([version, bytes?.length, bytes?.[999_999]]).toEqual(['1.1.0', 1_000_000, 7])
})
