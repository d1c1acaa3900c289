import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import { isMissing, type ServiceUrls } from '../services/open-services.ts'
import { findKeysPath, openKeys } from '../services/read-keys.ts'
import { createLog, redirectConsole, waitForSignal, describeCode } from '../services/service-process.ts'
import { composeServer, describeServer, type MailSettings } from './compose-server.ts'
import { findPort, type ListenAddress, listen, readHealth, startAdmin } from './listen.ts'
import { openServerDependencies } from './open-server-dependencies.ts'
import type { ServerAddress } from './read-settings.ts'
import { loadOperatorToken, loadSecret } from './read-secrets.ts'
import { startSweeper, sweepKinds, type Catalog, type Sweeper } from '@packs/catalog'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Time for open requests to finish on shutdown, in milliseconds. */
const DRAIN_MS = 25_000
const SWEEP_MS = 50
const PORT_OPTION = '--host and --port'

export interface ServeOptions {
  readonly address: ServerAddress
  readonly urls: ServiceUrls
  /** Folder of `--data`, which holds the operator's token. */
  readonly folder: string
  /** Keys document that must exist; undefined for the one in the folder, if any. */
  readonly keys: string | undefined
  readonly mail: MailSettings | undefined
  readonly contact: string | undefined
  /** Where the operator's pages are; undefined for the address of all others. */
  readonly admin: ListenAddress | undefined
  /** Seconds after SIGTERM in which it still accepts connections, but is not ready. */
  readonly drain: number
  /** Megabytes by which caches and heaps are sized. */
  readonly memory: number
  /** Of so many responses one is logged, besides failures. */
  readonly logEvery: number
  readonly json: boolean
}

export async function runServer(
  host: Host,
  { address, urls, folder, admin: adminAddress, ...options }: ServeOptions,
): Promise<Exit> {
  const { host: name, trustProxy } = address
  const operator = loadOperatorToken(folder)
  const secret = loadSecret(urls, folder)
  // Before a catalog is created.
  const port = await findPort(address, PORT_OPTION)
  if (adminAddress !== undefined) await findPort(adminAddress, '--admin-port')
  const log = createLog(true)
  redirectConsole(log)
  // A misspelled folder shows in the log.
  if (isMissing(urls)) log.info({ file: urls.file }, 'creating an empty catalog')
  const readKeys = await openKeys(findKeysPath(options.keys, folder), options.keys !== undefined, log)
  const dependencies = await openServerDependencies(urls, secret, log, options.memory)
  let isShuttingDown = false
  let admin: Awaited<ReturnType<typeof startAdmin>> | undefined
  try {
    const origin = address.origin ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`
    const app = await composeServer(dependencies, {
      origin,
      trustProxy,
      operatorToken: operator.token,
      mail: options.mail,
      contact: options.contact,
      readKeys,
      services: { ...urls, buildSeconds: host.readBuildSeconds() },
      toDiagnostic: host.toDiagnostic,
      log,
      isShuttingDown: () => isShuttingDown,
      hasAdmin: adminAddress !== undefined,
      logEvery: options.logEvery,
    })
    admin =
      adminAddress &&
      (await startAdmin({
        address: adminAddress,
        token: operator.token,
        log,
        readHealth: () => readHealth(dependencies.readiness, isShuttingDown),
        ...describeServer(dependencies),
      }))
    await listen(app, { host: name, port }, PORT_OPTION)
    // Before the URL is printed, because a program that reads it may end the server at once.
    const signalled = waitForSignal()
    const admin_port = admin?.port
    log.info({ origin, address: name, port, admin_port, operator_token_file: operator.file }, 'serving')
    const shown = { ok: true, url: origin, host: name, port, admin_port: admin_port ?? null }
    if (options.json) host.writeJson({ ...shown, operator_token_file: operator.file ?? null })
    else printAddress(host, origin, operator.file)
    const sweeper = sweepCatalog(dependencies.catalog, dependencies.metrics.registry, log)
    const signal = await signalled
    isShuttingDown = true
    if (signal === 'SIGTERM' && options.drain > 0) {
      log.info({ signal, seconds: options.drain }, 'draining: not ready, but requests are answered')
      await setTimeout(options.drain * 1000)
    }
    log.info({ signal }, 'shutting down: open requests are answered, new connections refused')
    await Promise.all([closeServer(app), sweeper.stop()])
  } finally {
    await admin?.close()
    await dependencies.close()
    log.info({}, 'stopped')
  }
  return 'done'
}

function printAddress(host: Host, origin: string, tokenFile: string | undefined): void {
  host.writeResult(`${origin}\n`)
  // If stderr is not a terminal, it contains only the log.
  if (!process.stderr.isTTY) return
  host.writeNote(`API at ${origin}/api/v1, documentation at ${origin}/docs`)
  host.writeNote(`packs at ${origin}/browse, keys at ${origin}/settings`)
  if (tokenFile !== undefined) host.writeNote(`operator's token for /metrics in ${tokenFile}`)
}

/** Closes each connection once its last response is sent, and all of them after the deadline. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const deadline = globalThis.setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  await app.close()
  clearTimeout(deadline)
  clearInterval(sweep)
}

/** Deletes expired rows while the server runs, with log lines and metrics. */
function sweepCatalog(catalog: Catalog, registry: Registry, log: Logger): Sweeper {
  const registers = [registry]
  const rows = new Counter({
    name: 'packs_sweep_rows_total',
    help: 'Expired rows deleted by this server, by kind',
    labelNames: ['kind'],
    registers,
  })
  const failures = new Counter({
    name: 'packs_sweep_failures_total',
    help: 'Failed batches when sweeping expired rows, by kind',
    labelNames: ['kind'],
    registers,
  })
  const success = new Gauge({
    name: 'packs_sweep_last_success_timestamp_seconds',
    help: 'When this server last swept all kinds of expired rows; 0 if another server does it',
    registers,
  })
  for (const kind of sweepKinds) {
    rows.inc({ kind }, 0)
    failures.inc({ kind }, 0)
  }
  failures.inc({ kind: 'lease' }, 0)
  let removed: Record<string, number> = {}
  return startSweeper(catalog, {
    onRemoved(kind, count) {
      rows.inc({ kind }, count)
      removed[kind] = (removed[kind] ?? 0) + count
    },
    onFailure(kind, error) {
      failures.inc({ kind })
      log.error(
        { kind, code: describeCode(error) },
        'expired rows could not be deleted; trying again in a minute',
      )
    },
    onFinished(time) {
      success.set(Math.floor(time.getTime() / 1000))
      if (Object.keys(removed).length > 0) log.info({ rows: removed }, 'expired rows deleted')
      removed = {}
    },
  })
}
