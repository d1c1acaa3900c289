import type { Mode } from '@packs/catalog'
import { Argument, type Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withReadOnlyCatalog,
  readOperator,
} from '../../services/open-services.ts'

const HELP = `
In recovery mode everything under /api/v1 returns 503, and keys can be neither created nor used. The catalog's pages stay available: everybody can read and download whole packs there, unless --previews keeps locked what is locked online. Every server of the catalog switches within a second. Repeated in recovery mode, the command changes what its options say and keeps the rest. Without an argument, it shows the current mode.

Examples:
  $ pack mode recovery --retry-after 3600 --message "Restoring a backup; back at ten"
  $ pack mode online`

interface ModeOptions {
  readonly retryAfter?: number
  readonly message?: string
  readonly previews?: boolean
  readonly json?: boolean
}

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .addArgument(new Argument('[mode]', 'mode to switch to').choices(['online', 'recovery']))
    .option('--retry-after <seconds>', 'in recovery mode, when clients may retry', host.parseCount)
    .option('--message <text>', 'in recovery mode, a message for clients')
    .option('--previews', 'in recovery mode, keep locked what is locked online')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const options = command.opts<ModeOptions>()
  const mode = await readOrSwitch(command, host, options)
  if (options.json) host.writeJson({ ...mode, previews: mode.previews ?? false })
  else showMode(host, mode)
  return 'done'
}

async function readOrSwitch(command: Command, host: Host, options: ModeOptions): Promise<Mode> {
  const [mode] = command.args as [Mode['mode']?]
  checkUsage(mode, options)
  const urls = readServiceUrls(command)
  return mode === undefined
    ? withReadOnlyCatalog(host, urls, ({ settings }) => settings.mode())
    : withCatalog(urls, ({ settings }) => settings.setMode(mode, { ...options, actor: readOperator() }))
}

function checkUsage(mode: Mode['mode'] | undefined, { retryAfter, message, previews }: ModeOptions): void {
  if (mode !== 'recovery' && [retryAfter, message, previews].some((value) => value !== undefined)) {
    const hint = 'use them with `pack mode recovery`'
    const problem = '--retry-after, --message and --previews apply only to recovery mode'
    throw new CommandError('usage', problem, hint)
  }
  if (message === undefined || (message.trim() !== '' && message.length <= 500 && !/\p{Cc}/u.test(message)))
    return
  const hint = 'use one line of at most 500 characters'
  throw new CommandError('usage', '--message is empty, too long, or contains control characters', hint)
}

function showMode(host: Host, { mode, since, message, retry_after, previews }: Mode): void {
  host.writeResult(`${host.styleResult(mode === 'online' ? 'green' : 'yellow', mode)} since ${since}\n`)
  const open = previews ? 'what is open online' : 'every pack whole, to everybody, without an account'
  if (mode === 'recovery') host.writeResult(`  open on the pages: ${open}\n`)
  if (message !== null) host.writeResult(`  message: ${host.escapeControls(message)}\n`)
  if (retry_after !== null) host.writeResult(`  retry after: ${retry_after} s\n`)
}
