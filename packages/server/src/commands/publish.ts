import { Option, type Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host, SigningKey } from '../host.ts'
import type { PublishOptions } from '../publish/run-publish.ts'
import { createOption, listUnknownVariables } from '../services/environment.ts'
import { addDataOption, findDataFolder, readServiceUrls } from '../services/open-services.ts'

const createHelp = ({ buildSecondsHelp }: Host): string => `
Inputs are sources as for \`pack build\`, with the same slugs and configuration. The default is "sources" in the configuration, or else the current folder. A file named directly gets its slug from its name. If the catalog has that pack and the file is now published from a folder under another slug, a warning says how to keep the slug.

A version set in front matter is used unchanged and never overwritten. Otherwise the version depends on the changes since the newest one: major if a heading or a term of the author's glossary was removed or changed; minor if one was added, headings were moved, or blocks were added, removed or moved; else patch. A source that is already the newest version is skipped, so it is safe to publish again. A source with an error does not stop the others, except in a --release. Empty stdin is an error; an empty file is not.

--sign signs the versions with a private key (see \`pack signers\`) once they are in the catalog and match their sources. The key is read only here: workers and the catalog never get it. To sign an unsigned version, publish its source again. A key that is retired or revoked in the keys document cannot sign.

Without REDIS_URL, sources are published before the command ends; with it, they are queued for \`pack worker\`. Without DATABASE_URL, the catalog is <data>/catalog.sqlite. ${buildSecondsHelp}

Examples:
  $ pack publish notes.md
  $ pack publish docs/ --release 2026-05 --wait
  $ pack publish docs/ --sign ~/.packs/release.pem`

const LEVELS = ['patch', 'minor', 'major']

export function configure(command: Command, host: Host): void {
  host
    .addSourceOptions(addDataOption(command.optionsGroup('Input:')))
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .addOption(host.createSchemeOption('overrides front matter'))
    .optionsGroup('Versions:')
    .addOption(new Option('--bump <level>', 'raise the version by at least this level').choices(LEVELS))
    .option('--rebuild', 'publish a source again, as a patch, even if it has not changed')
    .optionsGroup('Publishing:')
    .option('--dry-run', 'build and decide versions, but publish nothing')
    .option('--wait', 'wait until queued publishes are done (always the case without a queue)')
    .option('--release <name>', 'publish all sources together, or none')
    .option('--sign <file>', 'sign the versions with this private key; waits for queued publishes')
    .addOption(
      createOption(
        '--keys <file>',
        'keys document; default: packs-keys.json in the data folder, if it exists',
      ),
    )
    .option('--verbose', 'print a line for each pack, and every message')
    .addHelpText('after', createHelp(host))
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const options = command.opts<PublishOptions & { readonly sign?: string }>()
  for (const { variable, meant } of listUnknownVariables()) {
    const name = host.escapeControls(variable)
    host.writeNote(`note: ${name} is ignored: pack has no such variable${meant ? `, but ${meant}` : ''}`)
  }
  checkReleaseName(options.release)
  const signingKey = options.sign === undefined ? undefined : await readSigner(host, options.sign, command)
  const found = await host.findSources(command, findDataFolder(command))
  const { runPublish } = await import('../publish/run-publish.ts')
  return runPublish(host, found, readServiceUrls(command), {
    ...options,
    data: findDataFolder(command),
    ...(signingKey && { signingKey, wait: true }),
    buildSeconds: host.readBuildSeconds(),
  })
}

/** Reads the key before anything is built. */
async function readSigner(host: Host, file: string, command: Command): Promise<SigningKey> {
  const { keys: named } = command.opts<{ readonly keys?: string }>()
  const key = await host.readSigningKey(file)
  const { findKeysPath, readKeys } = await import('../services/read-keys.ts')
  const path = findKeysPath(named, findDataFolder(command))
  const document = await readKeys(path, named !== undefined)
  const status = document?.keys.find(({ kid }) => kid === key.id)?.status
  if (status === undefined && document)
    host.writeNote(`the key ${key.id} is not in ${path}, so readers cannot find it there`)
  if (status === undefined || status === 'active') return key
  const problem = `the key ${key.id} is ${status} in ${path}, so it cannot sign`
  const hint = 'sign with an active key; `pack signers create` makes one'
  throw new CommandError('signer_ended', problem, hint)
}

function checkReleaseName(name: string | undefined): void {
  if (name === undefined || /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name)) return
  const problem = `--release ${JSON.stringify(name.slice(0, 80))} is not a valid release name`
  const hint =
    'use at most 100 letters, digits, spaces, dots, hyphens and underscores, starting with a letter or digit'
  throw new CommandError('usage', problem, hint)
}
