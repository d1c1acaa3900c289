import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findForeignWriter } from '@packs/client/files'
import { PACKAGE } from '../read-version.ts'
import { findUpward } from '../user-cache/find-cache-folder.ts'

/** Name of the package with the commands of a catalog. */
export const SERVER_NAME = '@packs/server'

/** Where the package is installed. */
export interface InstalledServer {
  /** Its folder, as it is found. */
  readonly folder: string
  readonly version: string
  /** Path of the module to load. */
  readonly entry: string
  /** How others than this user can change it. */
  readonly fault?: string
}

/**
 * Finds the package beside this program, or else in the project of the working folder: the nearest folder upward with a
 * `package.json`. Node would also look in all folders above both, where others may be able to put one.
 */
export function findServer(): InstalledServer | undefined {
  const program = fileURLToPath(PACKAGE)
  // As npm installs them: node_modules/@packs/cli beside node_modules/@packs/server.
  const beside = [
    join(program, 'node_modules'),
    ...(/[\\/]node_modules[\\/]@packs[\\/]cli[\\/]?$/.test(program) ? [resolve(program, '../..')] : []),
  ]
  const project = findUpward(process.cwd(), ['package.json']) ?? process.cwd()
  const folders = [...beside, join(project, 'node_modules')].map((folder) => join(folder, SERVER_NAME))
  const folder = folders.find((one) => existsSync(join(one, 'package.json')))
  if (folder === undefined) return undefined
  const manifest = join(realpathSync(folder), 'package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
  const entry = createRequire(manifest).resolve(SERVER_NAME)
  // Whoever can change what is beside the program can change the program.
  const fault =
    folders.indexOf(folder) < beside.length
      ? undefined
      : findFault([join(project, 'package.json'), folder, manifest, entry])
  return { folder, version, entry, ...(fault !== undefined && { fault }) }
}

function findFault(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const foreign = existsSync(path) ? findForeignWriter(path) : undefined
    if (foreign !== undefined) return `${foreign.path} ${foreign.fault}`
  }
  return undefined
}
