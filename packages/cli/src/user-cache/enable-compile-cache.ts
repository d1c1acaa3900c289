import module from 'node:module'
import { join } from 'node:path'
import { openUserFolder } from '@packs/client/node'

/**
 * Lets Node keep compiled modules between runs. `NODE_COMPILE_CACHE` and
 * `NODE_DISABLE_COMPILE_CACHE` are respected. A thread does not inherit it, so each thread calls
 * this before it imports what it needs.
 *
 * Node's own default is a folder of temporary files that another user can create first.
 */
export function enableCompileCache(): void {
  if (process.env['NODE_COMPILE_CACHE']) module.enableCompileCache()
  else {
    const folder = openUserFolder()
    if (folder !== undefined) module.enableCompileCache(join(folder, 'compiled'))
  }
}
