import type { Account, Catalog } from '@packs/catalog'
import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { readServiceUrls, withReadOnlyCatalog } from '../../services/open-services.ts'

const COLUMNS = ['email', 'tier', '>daily', 'state', 'created', 'id']

export async function runList(command: Command, host: Host): Promise<Exit> {
  const { dailyLimit } = await import('@packs/catalog')
  const accounts = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) =>
    catalog.accounts.list(),
  )
  if (isJson(command)) {
    host.writeJson({ accounts: accounts.map((account) => describeAccount(account)) })
  } else {
    const rows = accounts.map((account) => [
      account.email,
      account.tier,
      String(dailyLimit(account)),
      describeState(account),
      account.created_at.slice(0, 10),
      account.id,
    ])
    showTable(host, COLUMNS, rows, 'no accounts')
  }
  return 'done'
}

/** Prints a table, or a note if it has no rows. */
export function showTable(
  host: Host,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): void {
  if (rows.length === 0) return host.writeNote(none)
  const [heading = '', ...lines] = host.formatTable(columns, rows)
  host.writeResult([host.styleResult('bold', heading), ...lines, ''].join('\n'))
}

/** @throws CatalogError `unknown_account` */
export async function requireAccount({ accounts }: Catalog, idOrEmail: string): Promise<Account> {
  const found = await accounts.find(idOrEmail)
  if (found !== undefined) return found
  const { CatalogError } = await import('@packs/catalog')
  throw new CatalogError(
    'unknown_account',
    'There is no account with this email or id',
    'See `pack accounts list`.',
  )
}

export async function runShow(command: Command, host: Host): Promise<Exit> {
  const { dailyLimit } = await import('@packs/catalog')
  const account = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) =>
    requireAccount(catalog, command.args[0] ?? ''),
  )
  if (isJson(command)) {
    host.writeJson({ ...describeAccount(account), created_at: account.created_at })
    return 'done'
  }
  const { pending } = account
  const lines = [
    host.styleResult('bold', account.email),
    `  id: ${account.id}`,
    `  tier: ${await describeQuota(account)}`,
    `  state: ${describeState(account)}`,
    ...(pending === null
      ? []
      : [`  once verified: ${pending.tier} with ${dailyLimit(pending)} requests a day`]),
    `  created: ${account.created_at}`,
  ]
  host.writeResult(`${lines.join('\n')}\n`)
  return 'done'
}

export function describeAccount(
  account: Account,
): Pick<Account, 'id' | 'email' | 'tier' | 'daily' | 'verified' | 'disabled' | 'pending'> {
  const { id, email, tier, daily, verified, disabled, pending } = account
  return { id, email, tier, daily, verified, disabled, pending }
}

export async function describeQuota(account: Account): Promise<string> {
  const { dailyLimit } = await import('@packs/catalog')
  return `${account.tier} with ${dailyLimit(account)} requests a day`
}

function describeState({ verified, disabled }: Account): string {
  const state = verified ? 'verified' : 'unverified'
  return disabled ? `${state}, disabled` : state
}

function isJson(command: Command): boolean {
  return command.opts<{ readonly json?: boolean }>().json === true
}
