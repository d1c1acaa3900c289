import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Path of a program on the `PATH`. If it is missing and that needs no confirmation, a package of Debian is installed.
 *
 * @param names of the program, the preferred one first
 * @param name of the package
 */
export function findProgram(names: readonly string[], name: string): string | undefined {
  const found = search(names)
  if (found !== undefined || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return found
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'pipe', env })
  // Another test may be installing a package at the same time.
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  const options = [...wait, 'install', '-y', '-qq', '--no-install-recommends', name]
  execFileSync('apt-get', options, { stdio: 'pipe', env })
  return search(names)
}

function search(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}
