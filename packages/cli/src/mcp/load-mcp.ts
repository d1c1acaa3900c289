import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type * as mcp from '@packs/mcp'
import type * as stdio from '@packs/mcp/stdio'
import { enableCompileCache } from '../user-cache/enable-compile-cache.ts'

/** Modules that one command needs. */
interface Modules {
  readonly '@packs/mcp': typeof mcp
  readonly '@packs/mcp/stdio': typeof stdio
}

/**
 * Loads what only `pack mcp` needs. It stays outside of the one script of the program: the SDK of the protocol is as large as all else
 * in it, and every start of `pack` reads that script (docs/decisions/0011-one-script.md).
 */
export async function loadMcp<Name extends keyof Modules>(name: Name): Promise<Modules[Name]> {
  enableCompileCache()
  const path = createRequire(import.meta.url).resolve(name)
  return (await import(pathToFileURL(path).href)) as Modules[Name]
}
