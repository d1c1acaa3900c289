import type { CreatedKey, KeyRow } from '@packs/catalog'
import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withExistingCatalog,
  withReadOnlyCatalog,
  readOperator,
} from '../../services/open-services.ts'

import { requireAccount, showTable } from './accounts.ts'

const HELP = `
A key is printed only once, when it is created: the catalog stores just its digest. An account has at most five keys. A rotated key works for 24 more hours, so that clients can switch to the new one; a revoked key stops working at once. In recovery mode, keys can only be revoked.

Examples:
  $ pack keys create --account ada@example.org --name ci
  $ pack keys revoke key_0123456789abcdef0123456789abcdef`

interface KeyOptions {
  readonly account: string
  readonly name: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  const create = command.command('create').description('create a key')
  const list = command.command('list').description('list the keys of an account')
  const rotate = command.command('rotate').description('replace a key with a new one')
  const revoke = command.command('revoke').description('revoke a key at once')
  for (const subcommand of [create, list])
    subcommand.requiredOption('--account <email>', 'email or id of the account')
  create.requiredOption('--name <text>', 'name of the key, such as what it is for')
  for (const subcommand of [rotate, revoke]) subcommand.argument('<id>', 'id of the key')
  for (const subcommand of [create, list, rotate, revoke])
    addDataOption(subcommand).addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

export function run(command: Command, host: Host): Promise<Exit> {
  const runs = { create: runCreate, list: runList, rotate: runRotate, revoke: runRevoke }
  return runs[command.name() as keyof typeof runs](command, host)
}

async function runCreate(command: Command, host: Host): Promise<Exit> {
  const { account, name } = command.opts<KeyOptions>()
  const created = await withExistingCatalog(host, readServiceUrls(command), (catalog) =>
    catalog.keys.create({ accountId: account, name, actor: readOperator() }, new Date()),
  )
  showCreated(command, host, created, `created ${created.row.id}; the key is shown only once:`)
  return 'done'
}

async function runRotate(command: Command, host: Host): Promise<Exit> {
  const created = await withExistingCatalog(host, readServiceUrls(command), (catalog) =>
    catalog.keys.rotate(command.args[0] ?? '', readOperator(), new Date()),
  )
  const note = `created ${created.row.id}; the old key works for at most 24 more hours; the new one is shown only once:`
  showCreated(command, host, created, note)
  return 'done'
}

async function runRevoke(command: Command, host: Host): Promise<Exit> {
  const { id, revoked_at } = await withExistingCatalog(host, readServiceUrls(command), (catalog) =>
    catalog.keys.revoke(command.args[0] ?? '', readOperator(), new Date()),
  )
  if (command.opts<KeyOptions>().json) host.writeJson({ ok: true, id, revoked_at })
  else host.writeResult(`${host.styleResult('green', 'revoked')} ${id}\n`)
  return 'done'
}

async function runList(command: Command, host: Host): Promise<Exit> {
  const { account, json } = command.opts<KeyOptions>()
  const keys = await withReadOnlyCatalog(host, readServiceUrls(command), async (catalog) =>
    catalog.keys.list((await requireAccount(catalog, account)).id),
  )
  if (json) host.writeJson({ keys: keys.map(({ account_id: _account, sha256: _digest, ...key }) => key) })
  else showKeys(host, keys, new Date())
  return 'done'
}

function showCreated(command: Command, host: Host, { key, row }: CreatedKey, note: string): void {
  const { id, name, last4, expires_at } = row
  if (command.opts<KeyOptions>().json) return host.writeJson({ id, key, name, last4, expires_at })
  host.writeNote(note)
  host.writeResult(`${key}\n`)
}

const COLUMNS = ['state', 'key', 'name', 'created', 'last used', 'ends', 'id']

function showKeys(host: Host, keys: readonly KeyRow[], now: Date): void {
  const rows = keys.map((key) => [
    describeState(key, now),
    `…${key.last4}`,
    host.escapeControls(key.name),
    key.created_at.slice(0, 10),
    key.last_used_at?.slice(0, 10) ?? 'never',
    key.expires_at?.slice(0, 16) ?? 'never',
    key.id,
  ])
  showTable(host, COLUMNS, rows, 'no keys')
}

type Ends = Pick<KeyRow, 'revoked_at' | 'expires_at'> & { readonly rotated_at?: string | null }

export function describeState({ revoked_at, rotated_at, expires_at }: Ends, now: Date): string {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) return 'expired'
  return rotated_at ? 'replaced' : 'active'
}
