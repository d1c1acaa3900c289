import { Option, InvalidArgumentError, type Command } from 'commander'
import type { ExitStatus } from '../exit-status.ts'
import { readAddress, type AddressOptions } from '../serve/read-address.ts'
import { readSecrets } from '../serve/read-secrets.ts'
import { addDataOption, findDataFolder, readServiceUrls } from '../services/open-services.ts'

const HELP = `
Serves the API under /api/v1 with its documentation at /docs, and the pages /browse and /settings, until SIGTERM or SIGINT:
then it takes no new connections, answers what it has begun, and ends. Without DATABASE_URL the catalog is
<data>/catalog.sqlite; with REDIS_URL several servers share allowances, and /operator/queue shows publishes. /metrics and
/operator/queue need the operator's token: PACK_OPERATOR_TOKEN, or the one in <data>/operator-token, which is made at the
first start. What cursors and sign-in are signed with is made by the catalog, unless PACK_CURSOR_SECRET and
PACK_SIGN_IN_SECRET give it. Logs are lines of JSON on stderr.

Examples:
  $ pack serve
  $ pack serve --port 9000 --data /var/lib/packs
  $ pack serve --host 0.0.0.0 --base-url https://packs.example.org --trust-proxy 10.0.0.0/8`

export function configure(command: Command): void {
  addDataOption(command)
    .option('--port <n>', 'port to listen on; 0 for a free one', parsePort, 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--base-url <url>', 'where clients reach it; needed unless the host is this machine alone')
    .addOption(
      new Option(
        '--trust-proxy <address...>',
        'proxies whose X-Forwarded-* is believed: addresses or networks',
      ).default([]),
    )
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { json, ...options } = command.opts<AddressOptions & { readonly json?: boolean }>()
  const address = readAddress(options)
  const { runServer } = await import('../serve/run-server.ts')
  return runServer({
    address,
    urls: readServiceUrls(command),
    folder: findDataFolder(command),
    operatorToken: process.env['PACK_OPERATOR_TOKEN'] || undefined,
    secrets: readSecrets(process.env),
    json: json === true,
  })
}

function parsePort(text: string): number {
  if (/^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('Give a port from 0 to 65535.')
}
