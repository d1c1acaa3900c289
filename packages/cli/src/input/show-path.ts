import { isAbsolute, join, relative } from 'node:path'

/** Gives a path relative to a folder, or as it is where that is not shorter. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' ? '.' : short.startsWith(join('..', '..', '..')) || isAbsolute(short) ? path : short
}
