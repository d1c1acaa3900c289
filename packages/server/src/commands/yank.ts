import type { Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withExistingCatalog,
  readOperator,
  parseVersionName,
} from '../services/open-services.ts'

const HELP = `
A yanked version no longer appears in lists, in search or as the latest version. It is still served by its number, unchanged and with the reason. To change the reason, yank the version again. A version number is never reused.

Examples:
  $ pack yank tls-basics@1.2.0 --reason "names a revoked authority"`

export function configure(command: Command): void {
  addDataOption(command)
    .argument('<version>', 'a version, as SLUG@VERSION')
    .option('--reason <text>', 'reason shown to users of the version')
    .option('--undo', 'restore the version')
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { reason, undo, json } = command.opts<{ reason?: string; undo?: boolean; json?: boolean }>()
  const { slug, version } = parseVersionName(command.args[0] ?? '')
  checkUsage(reason, undo)
  const operator = readOperator()
  const { yanked, yanked_reason, reason_before } = await withExistingCatalog(
    host,
    readServiceUrls(command),
    ({ packs }) =>
      undo ? packs.undoYank(slug, version, operator) : packs.yank(slug, version, reason!, operator),
  )
  if (json) host.writeJson({ ok: true, slug, version, yanked, reason: yanked_reason, reason_before })
  else {
    host.writeResult(`${host.styleResult('green', undo ? 'restored' : 'yanked')} ${slug}@${version}\n`)
    host.writeResult(describeBefore(host, yanked_reason, reason_before))
  }
  return 'done'
}

function describeBefore(host: Host, reason: string | null, before: string | null): string {
  if (reason === before)
    return `  ${reason === null ? 'it was not yanked' : 'it was already yanked for this reason'}: nothing changed\n`
  return reason === null || before === null ? '' : `  previous reason: ${host.escapeControls(before)}\n`
}

function checkUsage(reason: string | undefined, undo: boolean | undefined): void {
  if (undo && reason !== undefined)
    throw new CommandError('usage', '--undo and --reason cannot be combined', 'omit one of them')
  if (!undo) checkReason(reason)
}

export function checkReason(reason: string | undefined): void {
  const length = reason?.trim().length ?? 0
  if (length > 0 && length <= 500 && !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(reason!)) return
  const invalid = '--reason is empty, too long, or contains control characters'
  const problem = reason === undefined ? '--reason is missing' : invalid
  throw new CommandError('usage', problem, 'give the reason in one line of at most 500 characters')
}
