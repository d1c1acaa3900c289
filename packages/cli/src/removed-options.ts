import { Option, type Command } from 'commander'
import { CliError } from './cli-error.ts'

interface RemovedOption {
  /** Name of the command, with that of the subcommand: `build`, `keys create`. */
  readonly command: string
  /** The option as it was written, with its hyphens. */
  readonly option: string
  /** What to do instead: the hint of the error. */
  readonly instead: string
}

/** Every option that was removed. It is a usage error that says what to do instead. */
export const REMOVED_OPTIONS: readonly RemovedOption[] = [
  {
    command: 'build',
    option: '--shared-rosetta',
    instead: 'build the packs as they are; `pack prompt` gives those of a prompt one header',
  },
  {
    command: 'build',
    option: '--force',
    instead: 'use --no-cache, which builds all sources again',
  },
  {
    command: 'export',
    option: '--skill',
    instead: 'omit it: `pack export` writes skills without it',
  },
  {
    command: 'search',
    option: '--catalog',
    instead: 'search a catalog at /browse, with GET /api/v1/search, or with `client.search` of @packs/client',
  },
  {
    command: 'search',
    option: '--data',
    instead: 'search a catalog at /browse, with GET /api/v1/search, or with `client.search` of @packs/client',
  },
]

/** Makes the options that a command had once usage errors, whatever else is wrong with its arguments. */
export function refuseRemovedOptions(command: Command): void {
  const parent = command.parent?.parent ? `${command.parent.name()} ` : ''
  for (const { command: name, option, instead } of REMOVED_OPTIONS) {
    if (name !== parent + command.name()) continue
    const hidden = new Option(`${option} [value]`).hideHelp()
    command.addOption(hidden).on(`option:${hidden.name()}`, () => {
      throw new CliError('usage', `${option} is no option any more`, instead)
    })
  }
}
