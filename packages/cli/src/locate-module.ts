import { extname } from 'node:path'

/**
 * Returns the address of a module that a thread runs.
 *
 * It is here because the bundle keeps the paths of such modules below this folder, but has most others in chunks beside this one.
 *
 * @param name path below this folder, without extension
 */
export function locateModule(name: string): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)
}
