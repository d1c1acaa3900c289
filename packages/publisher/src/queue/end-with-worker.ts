import { Worker } from 'node:worker_threads'

const LOOK_MS = 500

/** A build never yields, so that only another thread can notice, and end the process. */
const WATCH = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => {
    if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
  }, ${LOOK_MS})
`

/** Ends this process soon after the one that started it, also where that was killed and this one is in the middle of a build. */
export function endWithWorker(): void {
  process.once('disconnect', () => process.exit())
  new Worker(WATCH, { eval: true, workerData: process.ppid, execArgv: [], env: {} }).unref()
}
