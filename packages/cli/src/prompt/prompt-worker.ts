import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'
import type { SetRequest } from './compose-set.ts'

enableCompileCache()
const { composeSet } = await import('./compose-set.ts')

parentPort?.on('message', (request: SetRequest) => {
  void composeSet(request).then((response) => {
    // The thread may be ended at any time after it has answered, and then it writes nothing.
    module.flushCompileCache()
    parentPort?.postMessage(response)
  })
})
