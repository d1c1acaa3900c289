import module from 'node:module'
import { serveTasks } from '@packs/codec/task-thread'
import type { SetRequest } from '../prompt/compose-set.ts'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')
const { composeSet } = await import('../prompt/compose-set.ts')

serveTasks(async (task: BuildTask | SetRequest) => {
  const result = await ('source' in task ? buildSource(task) : composeSet(task))
  // The thread may be ended at any time after it has answered, and then it writes nothing.
  module.flushCompileCache()
  return result
})
