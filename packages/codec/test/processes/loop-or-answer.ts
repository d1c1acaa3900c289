import { parentPort, threadId } from 'node:worker_threads'

// Answers a task with the id of this thread, loops for ever, or ends.
parentPort?.on('message', (task: string) => {
  while (task === 'loop');
  if (task === 'end') process.exit()
  parentPort?.postMessage({ task, threadId })
})
