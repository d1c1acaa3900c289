import type { Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { addDataOption, readServiceUrls } from '../../services/open-services.ts'

const HELP = `
A published version is in the search index at once. This command indexes what is not: packs of a catalog that was created by an
earlier version, and all packs if the tables of the index are damaged, which are then created again. It can be interrupted and
repeated while servers run, and \`pack serve\` does the same by itself. Versions whose document is damaged are listed and skipped.

--rebuild drops the index and indexes all packs. Meanwhile searches find some packs by their titles only.
--check changes nothing. The exit status is 0 if the index has every pack, else 1.

Examples:
  $ pack index
  $ pack index --check
  $ pack index --rebuild --json`

interface IndexCommandOptions {
  readonly rebuild?: boolean
  readonly check?: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  addDataOption(command)
    .option('--rebuild', 'drop the index and index all packs')
    .option('--check', 'only say whether the index is complete')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { rebuild = false, check = false, json = false } = command.opts<IndexCommandOptions>()
  if (rebuild && check)
    throw new CommandError('usage', '--rebuild and --check exclude each other', 'omit one of them')
  const urls = readServiceUrls(command)
  const { checkIndex, indexPacks } = await import('../../search-index/index-packs.ts')
  return check ? checkIndex(host, urls, json) : indexPacks(host, urls, { rebuild, json })
}
