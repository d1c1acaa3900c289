import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as server from '@packs/server'
import { CliError } from '../cli-error.ts'
import type { CommandModule } from '../command-module.ts'
import { addStatuses, exitStatus } from '../exit-status.ts'
import { readVersion } from '../read-version.ts'

type Server = typeof server

const NAME = '@packs/server'
const HINT = `run \`npm install ${NAME}\` in this folder, or \`npm install -g ${NAME}\` if pack is installed with -g`

/** Loads a command of `@packs/server`. @throws CliError `server_missing`, `server_incompatible` */
export async function loadServerCommand(name: server.ServerCommandName): Promise<CommandModule> {
  const { commands } = await loadServer(`pack ${name}`)
  const { configure, run } = await commands[name]()
  const { host } = await import('./host.ts')
  return {
    configure: (command) => configure(command, host),
    run: async (command) => exitStatus[await run(command, host)],
  }
}

/**
 * Loads the package `@packs/server`, which is looked for from this program and then from the working folder.
 *
 * @param need what needs the package, for the error
 * @throws CliError `server_missing`, `server_incompatible`
 */
export async function loadServer(need: string): Promise<Server> {
  const require = findServer()
  if (require === undefined) {
    throw new CliError('server_missing', `${need} needs the package ${NAME}, which is not installed`, HINT)
  }
  checkVersion(require)
  const loaded = (await import(pathToFileURL(require.resolve(NAME)).href)) as Server
  addStatuses(loaded.exitOfCode)
  return loaded
}

/** Returns a function that resolves names from the first place where the package is installed. */
function findServer(): NodeJS.Require | undefined {
  return [import.meta.url, join(process.cwd(), 'package.json')]
    .map((from) => createRequire(from))
    .find((require) => isInstalled(require))
}

function isInstalled(require: NodeJS.Require): boolean {
  try {
    return require.resolve(`${NAME}/package.json`) !== ''
  } catch {
    return false
  }
}

/** All packages are released together, so both must have the same major version, or below 1.0 the same minor version. */
function checkVersion(require: NodeJS.Require): void {
  const [own, other] = [readVersion(), (require(`${NAME}/package.json`) as { version: string }).version]
  if (findSeries(own) === findSeries(other)) return
  throw new CliError(
    'server_incompatible',
    `${NAME} ${other} does not work with pack ${own}`,
    `install matching versions: \`npm install @packs/cli@${own} ${NAME}@${own}\``,
  )
}

function findSeries(version: string): string | undefined {
  return /^(?:0\.\d+|[1-9]\d*)\./.exec(version)?.[0]
}
