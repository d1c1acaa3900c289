import type { Mode } from '@packs/catalog'
import { Argument, type Command } from 'commander'
import { CliError } from '../../cli-error.ts'
import { exitStatus, type ExitStatus } from '../../exit-status.ts'
import { escapeControls, styleResult, writeJson, writeResult } from '../../output/terminal.ts'
import {
  addDataOption,
  readServiceUrls,
  withCatalog,
  withReadOnlyCatalog,
} from '../../services/open-services.ts'
import { readOperator } from '../../services/read-operator.ts'
import { parseCount } from '../../input/option-values.ts'

const HELP = `
In recovery mode everything under /api/v1 returns 503, and keys can be neither created nor used; the pages of the catalog
stay available. Every server of the catalog switches within a second. Without an argument, shows the current mode.

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
    .option('--retry-after <seconds>', 'when clients may retry, in recovery mode', parseCount)
    .option('--message <text>', 'message for clients, in recovery mode')
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
    : withCatalog(places, ({ settings }) =>
        settings.setMode(mode, { retryAfter, message, actor: readOperator() }),
      )
}

function checkUsage(mode: Mode['mode'] | undefined, { retryAfter, message }: ModeOptions): void {
  if (mode !== 'recovery' && (retryAfter !== undefined || message !== undefined)) {
    const hint = 'use them with `pack mode recovery`'
    throw new CliError('usage', '--retry-after and --message apply only to recovery mode', hint)
  }
  if (message === undefined || (message.trim() !== '' && message.length <= 500 && !/\p{Cc}/u.test(message)))
    return
  const hint = 'give one line of at most 500 characters'
  throw new CliError('usage', '--message is empty, too long, or contains control characters', hint)
}

function showMode({ mode, since, message, retry_after }: Mode): void {
  writeResult(`${styleResult(mode === 'online' ? 'green' : 'yellow', mode)} since ${since}\n`)
  if (message !== null) writeResult(`  message: ${escapeControls(message)}\n`)
  if (retry_after !== null) writeResult(`  retry after: ${retry_after} s\n`)
}
