import { fstatSync, statSync } from 'node:fs'

/**
 * Gives what tells a file from every other, whatever its name and by whatever link, or undefined where there is no file.
 *
 * @param path `-` for stdin
 */
export function identifyFile(path: string): string | undefined {
  try {
    const stats = path === '-' ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true })
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    // What cannot be looked at is told of when it is read or written.
    return undefined
  }
}

/** Tells whether two paths lead to one file. */
export function isSameFile(path: string, other: string): boolean {
  const file = identifyFile(path)
  return file !== undefined && file === identifyFile(other)
}
