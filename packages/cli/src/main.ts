import type * as program from './program.ts'
import { ensureHome } from '@packs/client/user-folder'
import { loadBundle } from './user-cache/load-bundle.ts'

ensureHome()
const bundle = loadBundle<typeof program>(new URL('bundle.cjs', import.meta.url))
const { startProgram } = bundle ?? (await loadModules())
await startProgram(process.argv.slice(2))

async function loadModules(): Promise<typeof program> {
  const { enableCompileCache } = await import('./user-cache/enable-compile-cache.ts')
  enableCompileCache()
  return import('./program.ts')
}
