import { randomUUID } from 'node:crypto'
import { Agent, request as sendRequest, type IncomingHttpHeaders } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  createQuota,
  createRateLimiter,
  createReader,
  openCatalog,
  type Account,
  type Catalog,
  type Mode,
  type NewVersion,
  type Quota,
  type Tier,
} from '@packs/catalog'
import { createApi, createKeyCheck, FREE_REQUESTS, type ApiOptions } from '@packs/api'
import type { FastifyInstance } from 'fastify'
import { closeLater } from './close-later.ts'
import { createResponseCheck, type ApiResponse, type ResponseCheck } from './check-response.ts'
import { actor } from './make-version.ts'
import { makeFolder } from './run-pack.ts'

/** Options of a request besides its path. */
export interface RequestOptions {
  readonly method?: string
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The API on a real socket with a real catalog, and a clock and a mode set by the test. */
export interface TestApi {
  readonly app: FastifyInstance
  readonly catalog: Catalog
  readonly port: number
  readonly free: Customer
  readonly pro: Customer
  /** Logged lines. */
  readonly log: string[]
  /** Sends a request, and checks the response against the API's own OpenAPI document. */
  request(path: string, options?: RequestOptions): Promise<ApiResponse>
  /** Sends bytes on a new connection and returns the responses until the server closes it; each response is checked. */
  sendRaw(bytes: string): Promise<readonly ApiResponse[]>
  setMode(mode: Mode['mode'], details?: Partial<Mode>): void
  setTime(time: string): void
  now(): Date
  addCustomer(tier: Tier, daily?: number | null): Promise<Customer>
  close(): Promise<void>
}

export interface Customer {
  readonly account: Account
  readonly key: string
  readonly keyId: string
}

export interface TestApiOptions extends ApiOptions {
  readonly versions?: readonly NewVersion[]
  readonly catalog?: Catalog
  readonly createQuota?: (catalog: Catalog) => Quota
}

const MANY = 10_000_000

/** Starts the API, until the test ends or, outside of tests, those of the file. It may be closed earlier. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  let date = new Date('2026-03-01T12:00:00.000Z')
  const now = (): Date => date
  const catalog = options.catalog ?? (await openCatalog({ url: join(makeFolder(), 'catalog.sqlite'), now }))
  if (options.versions) await catalog.packs.commit(options.versions)
  let mode: Mode = { mode: 'online', since: date.toISOString(), message: null, retry_after: null }
  const log: string[] = []
  const write = (fields: unknown, message: string): void => void log.push(JSON.stringify({ fields, message }))
  const quota = options.createQuota?.(catalog) ?? createQuota(catalog.quota)
  const watch = { current: () => mode, sequence: () => catalog.sequence() }
  const ports = { catalog, quota, mode: watch, now, log: { warn: write, error: write } }
  const app = await createApi(
    {
      ...ports,
      checkKey: createKeyCheck({ ...ports, checkDatabase: () => undefined }),
      freeRequests: createRateLimiter(FREE_REQUESTS),
      reader: createReader(catalog, 60_000),
      readKeys: () => Promise.resolve(undefined),
    },
    options,
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const description = await send(port, agent, '/openapi.json', {})
  const check = findResponseCheck(description.text)

  const addCustomer = async (tier: Tier, daily: number | null = MANY): Promise<Customer> => {
    const email = `${tier}-${randomUUID()}@example.org`
    const { account } = await catalog.accounts.createClaimed({ email, tier, daily, actor }, date)
    const { key, row } = await catalog.keys.create({ accountId: account.id, name: 'test', actor }, date)
    return { account, key, keyId: row.id }
  }

  const close = closeLater(async () => {
    agent.destroy()
    await app.close()
    await quota.close()
    if (options.catalog === undefined) await catalog.close()
  })

  return {
    app,
    catalog,
    port,
    log,
    free: await addCustomer('free'),
    pro: await addCustomer('pro'),
    addCustomer,
    now,
    async request(path, options = {}) {
      const response = await send(port, agent, path, options)
      check(options.method ?? 'GET', path, response)
      return response
    },
    async sendRaw(bytes) {
      const responses = readResponses(await sendBytes(port, bytes))
      const [, method = '', path = '/'] = /^(\S+) (?:https?:\/\/[^/@\s]+)?(\/\S*)/.exec(bytes) ?? []
      for (const response of responses) check(method, path, response)
      return responses
    },
    setMode(name, details = {}) {
      mode = { mode: name, since: date.toISOString(), message: null, retry_after: null, ...details }
    },
    setTime(time) {
      date = new Date(time)
    },
    close,
  }
}

const checks = new Map<string, ResponseCheck>()

/** Returns the check by a description. Its schemas are compiled once, which takes longer than most tests. */
function findResponseCheck(description: string): ResponseCheck {
  const check = checks.get(description) ?? createResponseCheck(JSON.parse(description) as object)
  checks.set(description, check)
  return check
}

function send(
  port: number,
  agent: Agent,
  path: string,
  { method = 'GET', key, headers, body }: RequestOptions,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...describeBody(body, headers),
          ...headers,
        },
        timeout: 60_000,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve(createResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))),
        )
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`No response to ${method} ${path.slice(0, 200)}`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

function describeBody(
  body: string | undefined,
  headers: RequestOptions['headers'] = {},
): Record<string, string> {
  const isFramed = body === undefined || 'transfer-encoding' in headers
  return isFramed ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

/** Sends bytes and returns everything received until the server closes the connection. */
export function sendBytes(port: number, bytes: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The server may close while the client is still writing.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Parses consecutive responses with `Content-Length`. @throws Error for anything else between them */
export function readResponses(bytes: Buffer): ApiResponse[] {
  const responses: ApiResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(first) ?? []
    if (end < 0 || status === undefined) throw new Error(`Not a response: ${rest.toString().slice(0, 200)}`)
    const pairs = lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')])
    const headers = Object.fromEntries(pairs) as IncomingHttpHeaders
    const length = Number(headers['content-length'] ?? 0)
    responses.push(createResponse(Number(status), headers, rest.subarray(end + 4, end + 4 + length)))
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}

/** Creates a response from its received parts. */
export function createResponse(status: number, headers: IncomingHttpHeaders, bytes: Buffer): ApiResponse {
  const text = headers['content-encoding'] === undefined ? bytes.toString() : ''
  const isJson = /^application\/(problem\+)?json/.test(headers['content-type'] ?? '')
  return {
    status,
    headers,
    bytes,
    text,
    json: isJson && text !== '' ? (JSON.parse(text) as never) : (undefined as never),
  }
}
