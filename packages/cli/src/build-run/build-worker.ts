import { serveTasks } from '@packs/threads'
import type { SetRequest } from '../prompt/compose-set.ts'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { BuildTask } from './build-source.ts'

enableCompileCache()
const { buildSource } = await import('./build-source.ts')
const { composeSet } = await import('../prompt/compose-set.ts')

serveTasks((task: BuildTask | SetRequest) => ('source' in task ? buildSource(task) : composeSet(task)))
