import module from 'node:module'
import { serveTasks } from '@packs/codec/task-thread'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { SetRequest, SetResponse } from './compose-set.ts'

enableCompileCache()
const { composeSet } = await import('./compose-set.ts')

serveTasks(async (request: SetRequest): Promise<SetResponse> => {
  const response = await composeSet(request)
  // The thread may be ended at any time after it has answered, and then it writes nothing.
  module.flushCompileCache()
  return response
})
