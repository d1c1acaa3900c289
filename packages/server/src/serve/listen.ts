import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from 'pino'
import { CommandError } from '../command-error.ts'
import { describeCode, VERSION } from '../services/service-process.ts'
import type { ReadinessCheck, ReadinessWatch } from './metrics.ts'
import {
  createOperatorAuthentication,
  mountOperatorPages,
  type OperatorPageOptions,
} from './mount-operator-pages.ts'

/** Where a program listens. Port 0 is any free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Answers of `/readyz`: nothing fails, or what does. */
export interface Health {
  readonly status: string
  readonly failing?: readonly string[]
}

/** Mounts `/livez` (the process runs) and `/readyz` (it can do its work; 503 if not `ready`). */
export function mountHealth(app: FastifyInstance, readHealth: () => Health, fields: object = {}): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }))
  app.get('/readyz', (_request, reply) => {
    const health = readHealth()
    if (health.status !== 'ready') reply.code(503)
    return reply.header('cache-control', 'no-store').send({ ...health, ...fields })
  })
}

const STATUS: Readonly<Record<ReadinessCheck, string>> = {
  database: 'database away',
  connections: 'no free connection to the database',
  redis: 'redis away',
}

export function readHealth({ failing }: Pick<ReadinessWatch, 'failing'>, isShuttingDown: boolean): Health {
  if (isShuttingDown) return { status: 'ending' }
  const checks = failing()
  const [first] = checks
  return first === undefined ? { status: 'ready' } : { status: STATUS[first], failing: checks }
}

export interface AdminOptions extends Omit<OperatorPageOptions, 'authenticate'> {
  readonly address: ListenAddress
  readonly token: string
  readonly log: Logger
  readonly readHealth: () => Health
}

/**
 * Starts the listener of `--admin-port`: health for everybody, which says the version, and the
 * operator's pages by token.
 * @throws CommandError `address_in_use`, `address_unavailable`
 */
export async function startAdmin(
  options: AdminOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { address, token, log, readHealth } = options
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    requestTimeout: 15_000,
    bodyLimit: 65_536,
  })
  app.setErrorHandler((error: { readonly statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    const fields = { request_id: request.id, route: request.routeOptions.url, code: describeCode(error) }
    if (statusCode >= 500) log.error(fields, "a request for the operator's pages failed")
    return reply.code(statusCode).type('text/plain; charset=utf-8').send('The request failed.\n')
  })
  mountHealth(app, readHealth, { version: VERSION })
  mountOperatorPages(app, { ...options, authenticate: createOperatorAuthentication(token, log) })
  return { port: await listen(app, address, '--admin-port'), close: () => app.close() }
}

/** Returns the port. Closes the server if it cannot listen. */
export async function listen(app: FastifyInstance, address: ListenAddress, option: string): Promise<number> {
  try {
    await app.listen({ ...address })
    return (app.server.address() as AddressInfo).port
  } catch (error) {
    await app.close()
    throw explainListening(error, address, option)
  }
}

/** Returns the port, or a free one for 0; throws if nothing can listen there. */
export async function findPort(address: ListenAddress, option: string): Promise<number> {
  const server = createServer()
  try {
    server.listen(address)
    await once(server, 'listening')
  } catch (error) {
    throw explainListening(error, address, option)
  }
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function explainListening(error: unknown, { host, port }: ListenAddress, option: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const address = `${host}:${port}`
  if (code === 'EADDRINUSE') {
    const hint = `choose another ${option}, or stop the program that listens there`
    return new CommandError('address_in_use', `${address} is already in use`, hint)
  }
  if (code !== 'EADDRNOTAVAIL' && code !== 'EACCES' && code !== 'ENOTFOUND') return error
  const hint = `set ${option} to an IP address of this machine and a port that you may use`
  return new CommandError('address_unavailable', `cannot listen on ${address}: ${code}`, hint)
}
