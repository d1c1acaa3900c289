import type { Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { addDataOption, readServiceUrls } from '../../services/open-services.ts'

const HELP = `
Published versions are indexed at once. This command indexes packs that are missing: those of a catalog created by an earlier
release, or all packs if the tables of the index are damaged and have to be created again. You can interrupt and repeat it while
servers run; \`pack serve\` also does this on its own. Versions with a damaged document are listed and skipped.

--rebuild drops the index and indexes all packs. Until it is done, searches find some packs only by title.
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
    .option('--check', 'only report whether the index is complete')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { rebuild = false, check = false, json = false } = command.opts<IndexCommandOptions>()
  if (rebuild && check)
    throw new CommandError('usage', '--rebuild and --check cannot be combined', 'omit one of them')
  const urls = readServiceUrls(command)
  const { checkIndex, indexPacks } = await import('../../search-index/index-packs.ts')
  return check ? checkIndex(host, urls, json) : indexPacks(host, urls, { rebuild, json })
}
