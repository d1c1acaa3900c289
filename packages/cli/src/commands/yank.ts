import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { styleResult, writeJson, writeResult } from '../output/terminal.ts'
import { addDataOption, readServiceUrls, withExistingCatalog } from '../services/open-services.ts'
import { parseVersionName } from '../services/version-name.ts'

const HELP = `
A yanked version is gone from lists, search and latest. Asked for by its number it is still served, as it never changes,
with the reason. Doing it twice changes nothing, but another reason takes the place of the first; a number is never used again.

Examples:
  $ pack yank tls-basics@1.2.0 --reason "names a revoked authority"
  $ pack yank tls-basics@1.2.0 --undo`

interface YankOptions {
  readonly reason?: string
  readonly undo?: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  addDataOption(command)
    .argument('<version>', 'a version, as SLUG@VERSION')
    .option('--reason <text>', 'why, for those who use it')
    .option('--undo', 'show it again')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { reason, undo, json } = command.opts<YankOptions>()
  const { slug, version } = parseVersionName(command.args[0] ?? '')
  checkUsage(reason, undo)
  const { yanked, yanked_reason, reason_before } = await withExistingCatalog(
    readServiceUrls(command),
    ({ packs }) => (undo ? packs.undoYank(slug, version) : packs.yank(slug, version, reason!)),
  )
  if (json) writeJson({ ok: true, slug, version, yanked, reason: yanked_reason, reason_before })
  else {
    writeResult(`${styleResult('green', undo ? 'restored' : 'yanked')} ${slug}@${version}\n`)
    writeResult(describeBefore(yanked_reason, reason_before))
  }
  return exitStatus.done
}

function describeBefore(reason: string | null, before: string | null): string {
  if (reason === before)
    return `  ${reason === null ? 'was not yanked' : 'was so already'}: nothing changed\n`
  return reason === null || before === null ? '' : `  the reason was: ${escapeControls(before)}\n`
}

function checkUsage(reason: string | undefined, undo: boolean | undefined): void {
  if (undo && reason !== undefined)
    throw new CliError('usage', '--undo takes no --reason', 'leave out one of them')
  if (undo) return
  const length = reason?.trim().length ?? 0
  if (length > 0 && length <= 500 && !/\p{Cc}/u.test(reason!)) return
  throw new CliError(
    'usage',
    reason === undefined ? 'a yank needs a --reason' : 'the --reason is empty, too long, or has line ends',
    'say why in one line of at most 500 characters',
  )
}
