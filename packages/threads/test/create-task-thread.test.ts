import {
  BuildTimeoutError,
  createTaskThread,
  ThreadEndedError,
  type TaskThread,
  type TaskThreadOptions,
} from '@packs/threads'
import { expect, it, onTestFinished } from 'vitest'

const SCRIPT = new URL('./processes/loop-or-answer.ts', import.meta.url)

interface Answer {
  readonly task: string
  readonly threadId: number
  readonly pid: number
  readonly env: readonly string[]
}

function createThread(options?: TaskThreadOptions): TaskThread {
  const thread = createTaskThread(SCRIPT, undefined, options)
  onTestFinished(() => thread.close())
  return thread
}

it('runs tasks one after the other in the same thread', async () => {
  const thread = createThread()
  const answers = await Promise.all(['a', 'b', 'c'].map((task) => thread.run<Answer>(task, task)))
  expect(answers.map(({ task }) => task)).toEqual(['a', 'b', 'c'])
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(1)
})

it('ends a task in an endless loop with its thread, and runs the next task in another one', async () => {
  const thread = createThread()
  const first = await thread.run<Answer>('a', 'a.md')
  const [looping, next] = await Promise.allSettled([
    thread.run('loop', 'loop.md', { seconds: 0.05 }),
    thread.run<Answer>('b', 'b.md'),
  ])
  expect(looping).toMatchObject({
    status: 'rejected',
    reason: {
      name: 'BuildTimeoutError',
      code: 'build_timeout',
      message: 'Building loop.md took longer than 0.05 s',
      hint: 'Split the source into several, or raise PACK_BUILD_SECONDS.',
    },
  })
  expect(next).toMatchObject({ status: 'fulfilled', value: { task: 'b' } })
  expect((next as PromiseFulfilledResult<Answer>).value.threadId).not.toBe(first.threadId)
})

it('fails a task whose thread ends, and runs the next one', async () => {
  const thread = createThread()
  await expect(thread.run('end', 'a.md')).rejects.toThrow('the thread ended early')
  expect(await thread.run<Answer>('b', 'b.md')).toMatchObject({ task: 'b' })
})

it('runs tasks at the same time in as many threads as it may have', async () => {
  const thread = createThread({ threads: 2 })
  const gate = new SharedArrayBuffer(4)
  const blocked = thread.run<Answer>({ gate }, 'a')
  const other = await thread.run<Answer>('b', 'b')
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
  expect(other.threadId).not.toBe((await blocked).threadId)
})

it('does a first task in each thread, whose result is ignored', async () => {
  await expect(createThread({ first: 'end' }).run('b', 'b')).rejects.toThrow(ThreadEndedError)
  for (const first of ['a', 'fail'])
    expect(await createThread({ first }).run<Answer>('b', 'b')).toMatchObject({ task: 'b' })
})

it('ends a task that waits for nothing', async () => {
  await expect(createThread().run('wait', 'a.md')).rejects.toThrow(ThreadEndedError)
})

it('throws the error of a task with its fields, and keeps the thread', async () => {
  const thread = createThread()
  const { threadId } = await thread.run<Answer>('a', 'a')
  const failed: unknown = await thread.run('fail', 'a').catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(Error)
  expect(failed).toMatchObject({ name: 'RangeError', message: 'too far', code: 'far', places: [1, 2] })
  expect(await thread.run<Answer>('b', 'b')).toMatchObject({ threadId })
})

it('runs tasks in a process without an environment, and ends it like a thread', async () => {
  const thread = createThread({ isProcess: true, heapMb: 64 })
  const { pid, env } = await thread.run<Answer>('a', 'a')
  expect(pid).not.toBe(process.pid)
  expect(env).toEqual([])
  await expect(thread.run('loop', 'loop.md', { seconds: 0.05 })).rejects.toThrow(BuildTimeoutError)
  await expect(thread.run('grow', 'a.md')).rejects.toThrow(ThreadEndedError)
  expect((await thread.run<Answer>('b', 'b')).pid).not.toBe(pid)
})
