import type { TokenRow } from '@packs/catalog'
import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { addDataOption, readOperator, readServiceUrls, withCatalog } from '../../services/open-services.ts'
import { showTable } from './accounts.ts'
import { describeState } from './keys.ts'

const HELP = `
A publish token lets \`pack publish --url\` publish packs over HTTP, and nothing else. It is printed only once, when it is created: the catalog stores just its digest. A revoked token stops working at once.

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

const DAY_MS = 24 * 60 * 60 * 1000

export async function run(command: Command, host: Host): Promise<Exit> {
  const { slug, name = slug, expires, json } = command.opts<TokenOptions>()
  const [now, actor] = [new Date(), readOperator()]
  await withCatalog(readServiceUrls(command), async ({ tokens }) => {
    if (command.name() === 'list') return showTokens(host, await tokens.list(), now, json)
    if (command.name() === 'revoke') {
      const { id, revoked_at } = await tokens.revoke(command.args[0]!, actor, now)
      if (json) return host.writeJson({ ok: true, id, revoked_at })
      return host.writeResult(`${host.styleResult('green', 'revoked')} ${id}\n`)
    }
    const expiresAt = expires === undefined ? null : new Date(now.getTime() + expires * DAY_MS)
    const { token, row } = await tokens.create({ slug, name, expiresAt, actor }, now)
    if (json) return host.writeJson({ token, ...row, sha256: undefined })
    host.writeNote(`created ${row.id}; the token is shown only once:`)
    host.writeResult(`${token}\n`)
  })
  return 'done'
}

function showTokens(host: Host, tokens: readonly TokenRow[], now: Date, json: boolean | undefined): void {
  if (json) return host.writeJson({ tokens: tokens.map((token) => ({ ...token, sha256: undefined })) })
  const rows = tokens.map((token) => {
    const days = [token.created_at, token.last_used_at, token.expires_at].map(
      (time) => time?.slice(0, 10) ?? 'never',
    )
    return [describeState(token, now), token.slug, `…${token.last4}`, token.name, ...days, token.id]
  })
  const columns = ['state', 'publishes', 'token', 'name', 'created', 'last used', 'ends', 'id']
  showTable(host, columns, rows, 'no tokens; pack tokens create')
}
