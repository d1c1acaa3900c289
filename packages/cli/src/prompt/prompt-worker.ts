import { serveTasks } from '@packs/codec/task-thread'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'

enableCompileCache()
const { composeSet } = await import('./compose-set.ts')

serveTasks(composeSet)
