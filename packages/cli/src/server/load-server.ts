import { pathToFileURL } from 'node:url'
import type * as server from '@packs/server'
import { CliError } from '../cli-error.ts'
import type { CommandModule } from '../command-module.ts'
import { addStatuses, exitStatus } from '../exit-status.ts'
import { readVersion } from '../read-version.ts'
import { findServer, SERVER_NAME } from './find-server.ts'

type Server = typeof server

const HINT = `run \`npm install ${SERVER_NAME}\` in this folder, or \`npm install -g ${SERVER_NAME}\` if pack is installed with -g`

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
 * Loads the package `@packs/server`, from where {@link findServer} finds it.
 *
 * @param need what needs the package, for the error
 * @throws CliError `server_missing`, `server_incompatible`, `untrusted_file`
 */
export async function loadServer(need: string): Promise<Server> {
  const found = findServer()
  if (found === undefined) {
    throw new CliError(
      'server_missing',
      `${need} needs the package ${SERVER_NAME}, which is not installed`,
      HINT,
    )
  }
  if (found.fault !== undefined) {
    const hint = 'let nobody else own or write it (chown, chmod go-w), or install it beside the program'
    throw new CliError('untrusted_file', `${SERVER_NAME} is not loaded: ${found.fault}`, hint)
  }
  checkVersion(found.version)
  const loaded = (await import(pathToFileURL(found.entry).href)) as Server
  addStatuses(loaded.exitOfCode)
  return loaded
}

/** All packages are released together, so both must have the same major version, or below 1.0 the same minor version. */
function checkVersion(other: string): void {
  const own = readVersion()
  if (findSeries(own) === findSeries(other)) return
  throw new CliError(
    'server_incompatible',
    `${SERVER_NAME} ${other} does not work with pack ${own}`,
    `install matching versions: \`npm install @packs/cli@${own} ${SERVER_NAME}@${own}\``,
  )
}

function findSeries(version: string): string | undefined {
  return /^(?:0\.\d+|[1-9]\d*)\./.exec(version)?.[0]
}
