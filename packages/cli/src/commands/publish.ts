import { Option, type Command } from 'commander'
import { findSources } from '../build/find-sources.ts'
import { CliError } from '../cli-error.ts'
import type { ExitStatus } from '../exit-status.ts'
import type { PublishOptions } from '../publish/run-publish.ts'
import { addDataOption, findDataFolder, readServiceUrls } from '../services/open-services.ts'

const HELP = `
Inputs are sources as for \`pack build\`; without any, the current folder. A version that the front matter names is taken
as it is and never overwritten; else it is decided from what changed since the newest one: major where a heading or a
glossary term is gone, minor where something was added, patch else. A source that is the newest version already is
left alone, so that publishing again does no harm. A bad source stops no other, except in a --release.
Stdin with nothing in it is refused; a file may be empty.

Without REDIS_URL publishes run here, and are done when the command is; with it they are queued for \`pack worker\`.
Without DATABASE_URL the catalog is <data>/catalog.sqlite.

Examples:
  $ pack publish notes.md
  $ pack publish docs/ --dry-run
  $ pack publish docs/ --release 2026-05 --wait
  $ pack publish notes.md --bump major --json`

export function configure(command: Command): void {
  addDataOption(command)
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .addOption(new Option('--bump <level>', 'raise the decided level').choices(['patch', 'minor', 'major']))
    .option('--rebuild', 'publish a source again that is the newest version already, as a patch')
    .option('--dry-run', 'build and decide, commit nothing')
    .option('--wait', 'come back when queued publishes are done; always so without a queue')
    .option('--release <name>', 'publish all or none, at once')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<PublishOptions>()
  checkReleaseName(options.release)
  const inputs = command.args.length === 0 ? ['.'] : command.args
  const cwd = process.cwd()
  const found = findSources({ inputs, cwd, folder: findDataFolder(command) })
  const { runPublish } = await import('../publish/run-publish.ts')
  return runPublish(found, readServiceUrls(command), options)
}

function checkReleaseName(name: string | undefined): void {
  if (name === undefined || /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name)) return
  throw new CliError(
    'usage',
    `--release ${JSON.stringify(name.slice(0, 80))} is no name of a release`,
    'use at most 100 letters, digits, spaces, dots, hyphens and underscores',
  )
}
