import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { BuildRequest } from './read-source.ts'

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
const { buildShared, buildSource } = await import('./build-source.ts')

parentPort?.on('message', (request: BuildRequest | BuildRequest[]) => {
  const built = Array.isArray(request) ? buildShared(request) : buildSource(request)
  void built.then((result) => parentPort?.postMessage(result))
})
