import { parentPort } from 'node:worker_threads'
import { buildShared, buildSource, type BuildRequest } from './build-source.ts'

parentPort?.on('message', (request: BuildRequest | BuildRequest[]) => {
  const built = Array.isArray(request) ? buildShared(request) : buildSource(request)
  void built.then((result) => parentPort?.postMessage(result))
})
