import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { SetRequest } from './compose-set.ts'

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
const { composeSet } = await import('./compose-set.ts')

parentPort?.on('message', (request: SetRequest) => {
  void composeSet(request).then((response) => parentPort?.postMessage(response))
})
