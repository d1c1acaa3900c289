import { serveTasks } from '@packs/codec/task-thread'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildRequest } from './read-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')

/** A source, or packs that are composed to one prompt. */
export type BuildTask = BuildRequest | { readonly packs: readonly string[] }

serveTasks(runTask)

async function runTask(task: BuildTask): Promise<unknown> {
  if ('path' in task) return buildSource(task)
  const { composeDocuments } = await import('../prompt/compose-set.ts')
  return composeDocuments(task.packs)
}
