import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Returns a file's path below the root of the repository as CI services expect it, with `/`; undefined for stdin and for
 * messages about the whole run. The root is `GITHUB_WORKSPACE`, or else the working folder.
 */
export function findRepositoryPath(file: string): string | undefined {
  if (file === '' || file === '<stdin>') return undefined
  const path = resolve(file)
  const short = relative(process.env['GITHUB_WORKSPACE'] || process.cwd(), path)
  const isOutside = short.startsWith('..') || isAbsolute(short)
  return (isOutside ? path : short).split(sep).join('/')
}

/** Returns {@link findRepositoryPath} as a URI reference. */
export function findRepositoryUri(file: string): string | undefined {
  const path = findRepositoryPath(file)
  if (path === undefined) return undefined
  return isAbsolute(path) ? pathToFileURL(path).href : path.split('/').map(encodeURIComponent).join('/')
}
