import module from 'node:module'
import { serveTasks } from '@packs/threads'
import type { BuiltVersion } from '../version-builder/decide-version.ts'
import type { BuildRequest } from './create-build-thread.ts'

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
const { buildVersion } = await import('../version-builder/decide-version.ts')
const { PublishError, toPlainMessage } = await import('../publish-error.ts')

serveTasks(async (request: BuildRequest): Promise<BuiltVersion> => {
  try {
    const built = await buildVersion(...request)
    return { ...built, messages: built.messages.map(toPlainMessage) }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const { code, message, hint, messages } = error
    throw new PublishError(code, message, hint, { messages: messages.map(toPlainMessage) })
  }
})
