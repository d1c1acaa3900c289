import { serveTasks } from '@packs/codec/task-thread'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')

/** A source, or packs that are composed to one prompt. */
export type ThreadTask = BuildTask | { readonly packs: readonly string[] }

serveTasks(runTask)

async function runTask(task: ThreadTask): Promise<unknown> {
  if ('source' in task) return buildSource(task)
  const { composeDocuments } = await import('../prompt/compose-set.ts')
  return composeDocuments(task.packs)
}
