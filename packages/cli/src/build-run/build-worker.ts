import module from 'node:module'
import { serveTasks } from '@packs/codec/task-thread'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')

/** A source, or packs that are composed to one prompt. */
export type ThreadTask = BuildTask | { readonly packs: readonly string[] }

serveTasks(async (task: ThreadTask) => {
  const result = await runTask(task)
  // The thread may be ended at any time after it has answered, and then it writes nothing.
  module.flushCompileCache()
  return result
})

async function runTask(task: ThreadTask): Promise<unknown> {
  if ('source' in task) return buildSource(task)
  const { composeDocuments } = await import('../prompt/compose-set.ts')
  return composeDocuments(task.packs)
}
