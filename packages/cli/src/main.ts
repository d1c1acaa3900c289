import { ensureHome } from '@packs/files'
import { enableCompileCache } from './user-cache/enable-compile-cache.ts'

ensureHome()
enableCompileCache()
const { startProgram } = await import('./program.ts')
await startProgram(process.argv.slice(2))
