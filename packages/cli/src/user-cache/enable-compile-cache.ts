import module from 'node:module'
import { join } from 'node:path'
import { openUserFolder } from '@packs/files'

/**
 * Lets Node keep compiled modules between runs. A thread does not inherit it, so each calls this
 * before its imports. Node's own default is a folder that another user can create first.
 */
export function enableCompileCache(): void {
  if (process.env['NODE_COMPILE_CACHE']) module.enableCompileCache()
  else {
    const folder = openUserFolder()
    if (folder !== undefined) module.enableCompileCache(join(folder, 'compiled'))
  }
}
