import type { AuditAction, AuditEntry, Catalog } from '@packs/catalog'
import { InvalidArgumentError, type Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { addDataOption, readServiceUrls, withReadOnlyCatalog } from '../../services/open-services.ts'
import { showTable } from './accounts.ts'

const HELP = `
Lists what operators and account owners changed, newest first: accounts and their tiers, keys, published and yanked versions, the operating mode. Entries are kept for a year and cannot be changed. They name accounts and keys by id, so --account finds a deleted account only by its id. Operators appear as PACK_OPERATOR_NAME or, if unset, as the user who ran the command.

Examples:
  $ pack audit --since 2026-03-01 --action version.yanked`

const MAX_LIMIT = 1000
/** Characters of a name or value that the list shows; --json shows all of them. */
const MAX_SHOWN = 60

interface AuditOptions {
  readonly since?: Date
  readonly account?: string
  readonly action?: string
  readonly before?: number
  readonly limit: number
  readonly json?: boolean
}

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .option('--since <time>', 'only changes since: an age (24h, 7d), a day or a time', (text) =>
      parseSince(text, new Date()),
    )
    .option('--account <email>', 'only changes to this account (email or id)')
    .option('--action <name>', 'only this kind of change, such as key.revoked')
    .option('--before <id>', 'only entries older than this one, to get the next page', host.parseCount)
    .option(
      '--limit <n>',
      `maximum number of entries, at most ${MAX_LIMIT}`,
      (text) => {
        const limit = host.parseCount(text)
        if (limit <= MAX_LIMIT) return limit
        throw new InvalidArgumentError(`Use at most ${MAX_LIMIT}; --before gets the next page.`)
      },
      50,
    )
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const options = command.opts<AuditOptions>()
  const action = await checkAction(options.action)
  const { since, before } = options
  const [found, accounts] = await withReadOnlyCatalog(host, readServiceUrls(command), async (catalog) => {
    const accountId = await findAccountId(catalog, options.account)
    const query = { since, accountId, action, before, limit: options.limit + 1 }
    return [await catalog.audit.list(query), await catalog.accounts.list()] as const
  })
  const entries = found.slice(0, options.limit)
  const next = found.length > entries.length ? (entries.at(-1)?.id ?? null) : null
  if (options.json) host.writeJson({ entries, next })
  else showEntries(host, entries, next, new Map(accounts.map(({ id, email }) => [id, email])))
  return 'done'
}

/** An id need not exist, because entries outlive accounts. */
async function findAccountId(
  { accounts }: Catalog,
  account: string | undefined,
): Promise<string | undefined> {
  if (!account?.includes('@')) return account
  const found = await accounts.find(account)
  if (found !== undefined) return found.id
  const { CatalogError } = await import('@packs/catalog')
  const hint =
    'See `pack accounts list`. To name a deleted account, use its id from `pack audit --action account.deleted`.'
  throw new CatalogError('unknown_account', 'There is no account with this email', hint)
}

async function checkAction(name: string | undefined): Promise<AuditAction | undefined> {
  if (name === undefined) return undefined
  const { auditActions } = await import('@packs/catalog')
  const action = auditActions.find((known) => known === name)
  if (action !== undefined) return action
  const problem = `--action ${JSON.stringify(name.slice(0, MAX_SHOWN))} is not a kind of change`
  throw new CommandError('usage', problem, `use one of ${auditActions.join(', ')}`)
}

const COLUMNS = ['=time', '=action', 'on', 'by', 'details', '>id']

type Names = ReadonlyMap<string, string>

function showEntries(host: Host, entries: readonly AuditEntry[], next: number | null, emails: Names): void {
  const nameAccount = (id: string | null): string => emails.get(id ?? '') ?? id ?? ''
  const rows = entries.map(({ id, at, actor, action, account_id, target, details }) => [
    `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    showText(action),
    showText(target ?? nameAccount(account_id)),
    [actor.kind, ...(actor.id === null ? [] : [showText(nameAccount(actor.id))])].join(' '),
    describeDetails(
      target === null ? details : { account: account_id && nameAccount(account_id), ...details },
    ),
    String(id),
  ])
  // On a narrow terminal a row takes two lines.
  if (host.readColumns() >= 76) showTable(host, COLUMNS, rows, 'no entries')
  else
    for (const [time, action, on, by] of rows.map((row) => row.map(host.escapeControls)))
      for (const line of [`${time}  ${action}`, `  ${on === '' ? '' : `${on} `}by ${by}`])
        host.writeLine(line)
  if (next !== null) host.writeNote(`to see more, add --before ${next}`)
}

function describeDetails(details: AuditEntry['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${showText(name)}=${typeof value === 'string' ? showText(value) : value}`)
    .join(' ')
}

/** Quotes text with spaces, so that a value cannot pose as another field. */
function showText(text: string): string {
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text
  return /[\s"=]/.test(short) ? JSON.stringify(short) : short
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Takes an age such as `90m`, `24h`, `7d` or `2w`, a UTC day, or a time with its zone. */
function parseSince(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const time =
    unit === undefined
      ? parseTime(text)
      : new Date(now.getTime() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
  if (time === undefined || Number.isNaN(time.getTime())) {
    const day = 'a day such as 2026-03-01, or a time such as 2026-03-01T08:00:00Z'
    throw new InvalidArgumentError(`Use an age such as 90m, 24h, 7d or 2w, ${day}.`)
  }
  if (time.getTime() > now.getTime()) throw new InvalidArgumentError('This time is in the future.')
  return time
}

/** Rejects a day that does not exist, which `Date` would roll over into the next month. */
function parseTime(text: string): Date | undefined {
  const day = TIME.exec(text)?.[1]
  if (day === undefined) return undefined
  const start = new Date(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
  return exists ? new Date(text) : undefined
}
