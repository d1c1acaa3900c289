import module from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { SourceMessage } from '../publish-error.ts'
import type { BuildRequest, BuildResponse } from './create-build-thread.ts'

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
const { buildVersion } = await import('../version-builder/build-version.ts')
const { PublishError } = await import('../publish-error.ts')

parentPort?.on('message', (request: BuildRequest) => {
  void answer(request).then((response) => parentPort?.postMessage(response))
})

async function answer(request: BuildRequest): Promise<BuildResponse> {
  try {
    const built = await buildVersion(...request)
    return { built: { ...built, messages: built.messages.map(toPlainMessage) } }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const { code, message, hint, messages } = error
    return { error: { code, message, hint, messages: messages.map(toPlainMessage) } }
  }
}

/** Messages are errors, which lose their fields between threads. */
function toPlainMessage({ reason, line, column, fatal, ruleId, note, names }: SourceMessage): SourceMessage {
  return { reason, line, column, fatal, ruleId, note, ...(names && { names }) }
}
