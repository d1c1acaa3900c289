import { threadId } from 'node:worker_threads'
import { serveTasks } from '@packs/threads'

type Task = string | { readonly gate: SharedArrayBuffer }

// Answers a task with the ids of this thread and process, or does what the task says.
serveTasks(async (task: Task) => {
  while (task === 'loop');
  if (task === 'end') process.exit()
  if (task === 'wait') await new Promise(() => undefined)
  if (task === 'fail') throw Object.assign(new RangeError('too far'), { code: 'far', places: [1, 2] })
  if (task === 'grow') for (const all: number[][] = []; ;) all.push(Array<number>(100_000).fill(1))
  if (typeof task === 'object') Atomics.wait(new Int32Array(task.gate), 0, 0)
  return { task, threadId, pid: process.pid, env: Object.keys(process.env) }
})
