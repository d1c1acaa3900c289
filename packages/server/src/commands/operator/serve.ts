import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import type { ListenAddress } from '../../serve/listen.ts'
import {
  type AddressOptions,
  parseAdminAddress,
  parseList,
  parseMemory,
  parsePort,
  parseSeconds,
  readAddress,
  readContact,
  readLogEvery,
  readMail,
} from '../../serve/read-settings.ts'
import { createOption, readSecret } from '../../services/environment.ts'
import { addDataOption, findDataFolder, readServiceUrls } from '../../services/open-services.ts'

const HELP = `
Serves the API under /api/v1 with its documentation at /docs, and the pages /, /browse, /prompt, /try and /settings. On SIGTERM or SIGINT it stops accepting connections, finishes open requests and exits. Without DATABASE_URL, the catalog is <data>/catalog.sqlite. With REDIS_URL, several servers share quotas and the publish queue. /metrics needs the operator token: PACK_OPERATOR_TOKEN, or the one in <data>/operator-token, which is created on the first start. PACK_SECRET, or the file PACK_SECRET_FILE, signs cursors and sign-ins; DATABASE_URL needs it, else the first start creates <data>/secret. With PACK_SMTP_URL (smtp://USER:PASSWORD@HOST:587 or smtps://…) and PACK_SMTP_FROM, email verification and password resets are sent by email. PACK_CONTACT, an email address or a URL, is whom the pages name for a Pro account. The keys document is served at /.well-known/packs-keys.json and reloaded when it changes. Logs are JSON lines on stderr.

Examples:
  $ pack serve --host 0.0.0.0 --base-url https://packs.example.org --trust-proxy 10.0.0.0/8`

export function configure(command: Command): void {
  addDataOption(command)
    .addOption(
      createOption('--port <n>', 'port to listen on; 0 for any free port').argParser(parsePort).default(8080),
    )
    .addOption(createOption('--host <address>', 'IP address or host name to listen on').default('127.0.0.1'))
    .addOption(
      createOption(
        '--base-url <url>',
        'public URL of the server; required unless --host is reachable only from this machine',
      ),
    )
    .addOption(
      createOption(
        '--trust-proxy <address...>',
        'IP addresses or networks of proxies whose X-Forwarded-* headers are trusted',
      )
        .argParser(parseList)
        .default([], 'none'),
    )
    .addOption(
      createOption(
        '--keys <file>',
        'keys document to serve; default: packs-keys.json in the data folder, if it exists',
      ),
    )
    .addOption(
      createOption(
        '--admin-port <port>',
        'port, or HOST:PORT, for /metrics and health, away from all other pages',
      ).argParser(parseAdminAddress),
    )
    .addOption(
      createOption('--drain <seconds>', 'after SIGTERM, how long to answer requests without being ready')
        .argParser(parseSeconds)
        .default(0),
    )
    .addOption(
      createOption('--memory <mb>', 'megabytes that the server is to take: sizes its caches and heaps')
        .argParser(parseMemory)
        .default(400),
    )
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  interface Options extends AddressOptions {
    readonly keys?: string
    readonly adminPort?: ListenAddress
    readonly drain: number
    readonly memory: number
    readonly json?: boolean
  }
  const { json, ...options } = command.opts<Options>()
  const address = readAddress(options)
  // Keeps the space for new objects small, which otherwise grows to 64 MB and stays.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Collects garbage once a heap has grown by 30 %, in each thread; by default it may double.
  setFlagsFromString('--heap-growing-percent=30')
  const { runServer } = await import('../../serve/run-server.ts')
  return runServer(host, {
    address,
    urls: readServiceUrls(command),
    folder: findDataFolder(command),
    mail: readMail({ ...process.env, PACK_SMTP_URL: readSecret('PACK_SMTP_URL') }),
    contact: readContact(process.env),
    logEvery: readLogEvery(),
    keys: options.keys,
    admin: options.adminPort,
    drain: options.drain,
    memory: options.memory,
    json: json === true,
  })
}
