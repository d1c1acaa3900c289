import type { Mode } from '@packs/catalog'
import { Argument, type Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { styleResult, writeJson, writeResult } from '../output/terminal.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withReadOnlyCatalog,
} from '../services/open-services.ts'
import { parseCount } from './option-values.ts'

const HELP = `
In recovery mode everything under /api/v1 answers 503, and keys can neither be created nor used; the pages of the catalog
stay. Every server of the catalog follows within a second. Without a mode, the present one is shown.

Examples:
  $ pack mode
  $ pack mode recovery --retry-after 3600 --message "Restoring a backup; back at ten"
  $ pack mode online`

interface ModeOptions {
  readonly retryAfter?: number
  readonly message?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  addDataOption(command)
    .addArgument(new Argument('[mode]', 'the mode to switch to').choices(['online', 'recovery']))
    .option('--retry-after <seconds>', 'when callers may come back, in recovery mode', parseCount)
    .option('--message <text>', 'what callers are told, in recovery mode')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<ModeOptions>()
  const mode = await readOrSwitch(command, options)
  if (options.json) writeJson({ mode: mode.mode, since: mode.since })
  else showMode(mode)
  return exitStatus.done
}

async function readOrSwitch(command: Command, options: ModeOptions): Promise<Mode> {
  const [mode] = command.args as [Mode['mode']?]
  const { retryAfter = null, message = null } = options
  checkUsage(mode, options)
  const places = readServiceUrls(command)
  return mode === undefined
    ? withReadOnlyCatalog(places, ({ settings }) => settings.mode())
    : withCatalog(places, ({ settings }) => settings.setMode(mode, { retryAfter, message }))
}

function checkUsage(mode: Mode['mode'] | undefined, { retryAfter, message }: ModeOptions): void {
  if (mode !== 'recovery' && (retryAfter !== undefined || message !== undefined)) {
    const hint = 'write `pack mode recovery` with them'
    throw new CliError('usage', '--retry-after and --message are told in recovery mode only', hint)
  }
  if (message === undefined || (message.trim() !== '' && message.length <= 500 && !/\p{Cc}/u.test(message)))
    return
  const hint = 'tell callers in one line of at most 500 characters'
  throw new CliError('usage', 'the --message is empty, too long, or has line ends', hint)
}

function showMode({ mode, since, message, retry_after }: Mode): void {
  writeResult(`${styleResult(mode === 'online' ? 'green' : 'yellow', mode)} since ${since}\n`)
  if (message !== null) writeResult(`  message: ${escapeControls(message)}\n`)
  if (retry_after !== null) writeResult(`  retry after: ${retry_after} s\n`)
}
