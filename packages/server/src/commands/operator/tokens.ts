import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import {
  addDataOption,
  readOperator,
  readServiceUrls,
  withCatalog,
  withExistingCatalog,
  withReadOnlyCatalog,
} from '../../services/open-services.ts'
import { showTable } from './accounts.ts'
import { describeState } from './keys.ts'

const HELP = `
A publish token lets \`pack publish --url\` publish packs over HTTP, and nothing else: it reads no packs and changes no settings. It is printed only once, when it is created: the catalog stores just its digest. A revoked token stops working at once.

Examples:
  $ pack tokens create --slug 'docs-*' --name 'CI of the docs' --expires 90
  $ pack tokens revoke tok_0123456789abcdef0123456789abcdef`

interface TokenOptions {
  readonly slug: string
  readonly name?: string
  readonly expires?: number
  readonly json?: boolean
}

export function configure(command: Command, host: Host): void {
  const create = command
    .command('create')
    .description('create a token')
    .option('--slug <pattern>', 'what it may publish: a slug, or one * for any text', '*')
    .option('--name <text>', 'what it is for; default: the slug or pattern')
    .option('--expires <days>', 'days until it ends; default: never', host.parseCount)
  const list = command.command('list').description('list all tokens, with those that have ended')
  const revoke = command.command('revoke').description('revoke a token at once').argument('<id>', 'its id')
  for (const subcommand of [create, list, revoke]) addDataOption(subcommand).addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

export function run(command: Command, host: Host): Promise<Exit> {
  const runs = { create: runCreate, list: runList, revoke: runRevoke }
  return runs[command.name() as keyof typeof runs](command, host)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A token may be created before the first pack is published. */
async function runCreate(command: Command, host: Host): Promise<Exit> {
  const { slug, name = slug, expires, json } = command.opts<TokenOptions>()
  const now = new Date()
  const expiresAt = expires === undefined ? null : new Date(now.getTime() + expires * DAY_MS)
  const request = { slug, name, expiresAt, actor: readOperator() }
  const { token, row } = await withCatalog(readServiceUrls(command), ({ tokens }) =>
    tokens.create(request, now),
  )
  if (json) host.writeJson({ token, ...describeToken(row) })
  else {
    host.writeNote(`created ${row.id}; the token is shown only once:`)
    host.writeResult(`${token}\n`)
  }
  return 'done'
}

async function runRevoke(command: Command, host: Host): Promise<Exit> {
  const { id, revoked_at } = await withExistingCatalog(host, readServiceUrls(command), ({ tokens }) =>
    tokens.revoke(command.args[0] ?? '', readOperator(), new Date()),
  )
  if (command.opts<TokenOptions>().json) host.writeJson({ ok: true, id, revoked_at })
  else host.writeResult(`${host.styleResult('green', 'revoked')} ${id}\n`)
  return 'done'
}

async function runList(command: Command, host: Host): Promise<Exit> {
  const tokens = await withReadOnlyCatalog(host, readServiceUrls(command), (catalog) => catalog.tokens.list())
  if (command.opts<TokenOptions>().json) host.writeJson({ tokens: tokens.map(describeToken) })
  else {
    const rows = tokens.map((token) => [
      describeState(token, new Date()),
      token.slug,
      `…${token.last4}`,
      token.name,
      token.created_at.slice(0, 10),
      token.last_used_at?.slice(0, 10) ?? 'never',
      token.expires_at?.slice(0, 10) ?? 'never',
      token.id,
    ])
    const columns = ['state', 'publishes', 'token', 'name', 'created', 'last used', 'ends', 'id']
    showTable(host, columns, rows, 'no tokens; pack tokens create')
  }
  return 'done'
}

function describeToken<Row extends { readonly sha256: string }>({
  sha256: _digest,
  ...row
}: Row): Omit<Row, 'sha256'> {
  return row
}
