import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { findForeignWriter } from '@packs/files'
import type * as server from '@packs/server'
import type { Command } from 'commander'
import { addStatuses, CliError, exitStatus, type ExitStatus } from '../cli-error.ts'
import { findUpward, PACKAGE, readVersion } from '../package-files.ts'

export interface CommandModule {
  /** Declares arguments, options, help and subcommands. Every command also gets `--json`. */
  readonly configure: (command: Command) => void
  /** No status means success. */
  readonly run: (command: Command) => Promise<ExitStatus | void>
}

export const SERVER_NAME = '@packs/server'

/** Packages that are installed only where needed, as error codes name them. */
const OPTIONAL = { '@packs/server': 'server', '@packs/eval': 'eval' } as const

type OptionalPackage = keyof typeof OPTIONAL

type Server = typeof server

export async function loadServerCommand(name: server.ServerCommandName): Promise<CommandModule> {
  const { commands } = await loadServer(`pack ${name}`)
  const { configure, run } = await commands[name]()
  const { host } = await import('./host.ts')
  return {
    configure: (command) => configure(command, host),
    run: async (command) => exitStatus[await run(command, host)],
  }
}

export async function loadServer(need: string): Promise<Server> {
  const server = await loadPackage<Server>(SERVER_NAME, need)
  addStatuses(server.exitOfCode)
  return server
}

/** @param need what needs the package, for the error */
export async function loadPackage<Loaded>(name: OptionalPackage, need: string): Promise<Loaded> {
  const found = findPackage(name)
  if (found === undefined) {
    const hint = `install the tarball of ${name} that a clone of Packs makes, where pack is installed`
    const message = `${need} needs the package ${name}, which is not installed`
    throw new CliError(`${OPTIONAL[name]}_missing`, message, hint)
  }
  if (found.fault !== undefined) {
    const hint =
      'make sure that only you own and can write it (chown, chmod go-w), or install it beside the program'
    throw new CliError('untrusted_file', `${name} is not loaded: ${found.fault}`, hint)
  }
  checkVersion(name, found.version)
  return (await import(pathToFileURL(found.entry).href)) as Loaded
}

/** All packages are released together; below 1.0 the minor version must be the same too. */
function checkVersion(name: OptionalPackage, other: string): void {
  const own = readVersion()
  if (findSeries(own) === findSeries(other)) return
  const hint = `install tarballs of one version, such as ${own}, of @packs/cli and ${name}`
  const message = `${name} ${other} does not work with pack ${own}`
  throw new CliError(`${OPTIONAL[name]}_incompatible`, message, hint)
}

function findSeries(version: string): string | undefined {
  return /^(?:0\.\d+|[1-9]\d*)\./.exec(version)?.[0]
}

interface InstalledPackage {
  readonly folder: string
  readonly version: string
  readonly entry: string
  /** How others than this user can change it. */
  readonly fault?: string
}

/**
 * Finds a package beside this program, or else in the project of the working folder. Node would
 * also look in all folders above both, where others may be able to put one.
 */
export function findPackage(name: OptionalPackage): InstalledPackage | undefined {
  const program = fileURLToPath(PACKAGE)
  // As npm installs them: node_modules/@packs/cli beside the other.
  const beside = [
    join(program, 'node_modules'),
    ...(/[\\/]node_modules[\\/]@packs[\\/]cli[\\/]?$/.test(program) ? [resolve(program, '../..')] : []),
  ]
  const project = findUpward(process.cwd(), ['package.json']) ?? process.cwd()
  const folders = [...beside, join(project, 'node_modules')].map((folder) => join(folder, name))
  const folder = folders.find((one) => existsSync(join(one, 'package.json')))
  if (folder === undefined) return undefined
  const manifest = join(realpathSync(folder), 'package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
  const entry = createRequire(manifest).resolve(name)
  // Anyone who can change the folder of the program can change the program.
  const fault =
    folders.indexOf(folder) < beside.length
      ? undefined
      : findFault([join(project, 'package.json'), folder, manifest, entry])
  return { folder, version, entry, ...(fault !== undefined && { fault }) }
}

function findFault(paths: readonly string[]): string | undefined {
  const foreign = paths.filter((path) => existsSync(path)).map((path) => findForeignWriter(path))
  const [first] = foreign.filter((one) => one !== undefined)
  return first && `${first.path} ${first.fault}`
}
