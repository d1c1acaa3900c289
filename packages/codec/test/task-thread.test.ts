import { createTaskThread, type TaskThread } from '@packs/codec/task-thread'
import { expect, it, onTestFinished } from 'vitest'

const SCRIPT = new URL('processes/loop-or-answer.ts', import.meta.url)

interface Answer {
  readonly task: string
  readonly threadId: number
}

function createThread(): TaskThread {
  const thread = createTaskThread(SCRIPT)
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
    thread.run('loop', 'loop.md', 0.05),
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
