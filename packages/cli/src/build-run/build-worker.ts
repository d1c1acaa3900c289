import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')

/** A source, or packs that are composed to one prompt. */
export type ThreadTask = BuildTask | { readonly packs: readonly string[] }

parentPort?.on('message', (task: ThreadTask) => {
  void runTask(task).then((result) => {
    // The thread may be ended at any time after it has answered, and then it writes nothing.
    module.flushCompileCache()
    parentPort?.postMessage(result)
  })
})

async function runTask(task: ThreadTask): Promise<unknown> {
  if ('source' in task) return buildSource(task)
  const { composeDocuments } = await import('../prompt/compose-set.ts')
  return composeDocuments(task.packs)
}
