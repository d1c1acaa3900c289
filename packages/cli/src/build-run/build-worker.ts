import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { SetRequest } from '../prompt/compose-set.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()

parentPort?.on('message', (task: BuildTask | SetRequest) => {
  void runTask(task).then((result) => {
    // The thread may be ended at any time after it has answered, and then it writes nothing.
    module.flushCompileCache()
    parentPort?.postMessage(result)
  })
})

async function runTask(task: BuildTask | SetRequest): Promise<unknown> {
  if ('source' in task) return (await import('./build-source.ts')).buildSource(task)
  return (await import('../prompt/compose-set.ts')).composeSet(task)
}
