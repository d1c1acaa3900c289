import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { writeJson, writeNote, writeResult } from '../output/terminal.ts'
import type { ServiceUrls } from '../services/open-services.ts'
import { createLog, redirectConsole, waitForSignal } from '../services/service-process.ts'
import { composeServer } from './compose-server.ts'
import { openServerDependencies } from './open-server-dependencies.ts'
import type { ServerAddress } from './read-address.ts'
import { loadOperatorToken, type SecretOverrides } from './read-secrets.ts'

/** Milliseconds that requests have to be answered when the server ends. */
const DRAIN_MS = 25_000
const SWEEP_MS = 50

export interface ServeOptions {
  readonly address: ServerAddress
  readonly urls: ServiceUrls
  /** For what the server keeps beside the catalog. */
  readonly folder: string
  readonly operatorToken: string | undefined
  readonly secrets: SecretOverrides
  readonly json: boolean
}

/** Serves until a signal comes, answers what was begun, and gives the exit status. */
export async function runServer({ address, urls, folder, ...options }: ServeOptions): Promise<ExitStatus> {
  const operator = loadOperatorToken(options.operatorToken, folder)
  const log = createLog({ buffered: true })
  redirectConsole(log)
  const dependencies = await openServerDependencies(urls, options.secrets, log)
  try {
    const { host, trustProxy } = address
    const port = address.port === 0 ? await findFreePort(host) : address.port
    const origin = address.origin ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    let isShuttingDown = false
    const app = await composeServer(dependencies, {
      databaseUrl: urls.databaseUrl,
      origin,
      trustProxy,
      operatorToken: operator.token,
      log,
      isShuttingDown: () => isShuttingDown,
    })
    await listen(app, host, port)
    log.info({ origin, address: host, port, operator_token_file: operator.file }, 'serving')
    printAddress({ origin, host, port, tokenFile: operator.file }, options.json)
    const signal = await waitForSignal()
    isShuttingDown = true
    log.info({ signal }, 'ending: no new connections, what was begun is answered')
    await drain(app)
  } finally {
    await dependencies.close()
    log.info({}, 'ended')
  }
  return exitStatus.done
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

/** @throws CliError `address_in_use`, `address_unavailable` */
async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    const { code } = error as NodeJS.ErrnoException
    const place = `${host}:${port}`
    if (code === 'EADDRINUSE') {
      throw new CliError(
        'address_in_use',
        `${place} is taken`,
        'name another --port, or end what listens there',
      )
    }
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
      const hint = 'name a --host of this machine, and a --port that this user may use'
      throw new CliError('address_unavailable', `${place} cannot be listened on: ${code}`, hint)
    }
    throw error
  }
}

interface ListeningServer {
  readonly origin: string
  readonly host: string
  readonly port: number
  readonly tokenFile: string | undefined
}

function printAddress({ origin, host, port, tokenFile }: ListeningServer, asJson: boolean): void {
  if (asJson) return writeJson({ ok: true, url: origin, host, port, operator_token_file: tokenFile ?? null })
  writeResult(`${origin}\n`)
  // Where nobody looks, stderr is the log alone.
  if (!process.stderr.isTTY) return
  writeNote(`API at ${origin}/api/v1, its documentation at ${origin}/docs`)
  writeNote(`packs to browse at ${origin}/browse, keys at ${origin}/settings`)
  if (tokenFile !== undefined) writeNote(`operator's token for /metrics in ${tokenFile}`)
}

/** A connection that was busy when the server began to end is closed once its answer is sent. */
async function drain(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  await app.close()
  clearTimeout(deadline)
  clearInterval(sweep)
}
