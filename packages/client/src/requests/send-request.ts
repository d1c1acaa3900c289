import {
  type ClientError,
  type ClientErrorDetails,
  createError,
  digestMismatchError,
  invalidResponseError,
} from '../client-error.ts'

export interface Server {
  /** URL without `/api`; undefined if nothing can be requested. */
  readonly base: string | undefined
  readonly key: string | undefined
  /** Publishes, in place of a key that reads. */
  readonly token?: string
  /** Milliseconds for a request with its body. */
  readonly timeout: number
  readonly ports: Ports
}

export interface Request {
  /** Path and query. */
  readonly path: string
  /** Most bytes of the body. */
  readonly limit: number
  /** The server may compress the body, whose digest then cannot be checked; may take longer. */
  readonly isBulk?: boolean
  /** JSON to put there. */
  readonly body?: string | undefined
}

/** A body that matches its `Content-Digest`, if it has one. */
export interface Received {
  readonly text: string
  readonly etag: string | undefined
  /** Whether the server says that it never changes. */
  readonly isImmutable: boolean
}

/** How many times longer a bulk request may take. */
const BULK_FACTOR = 6
/** Most bytes of an error. */
const MAX_PROBLEM = 65_536

/**
 * Sends a request once; returns undefined for 304.
 *
 * Asks for bytes without a `Content-Encoding`: `Content-Digest` covers the encoded ones, which
 * `fetch` does not show, and the limit is for the decoded ones. Redirects are refused, so that the
 * key reaches no other server.
 * @throws {ClientError} a code of the API, `unreachable`, `timeout`, `invalid_response`,
 *   `digest_mismatch`, `response_too_large`
 */
export async function sendRequest(
  { base, key, token, ports, timeout }: Server,
  { path, limit, isBulk, body }: Request,
  etag: string | undefined,
  stop: AbortSignal | undefined,
): Promise<Received | undefined> {
  if (base === undefined) throw createError('invalid_option', 'The option url is missing')
  const headers = {
    accept: 'application/json',
    ...(!isBulk && { 'accept-encoding': 'identity' }),
    ...(key && { 'x-api-key': key }),
    ...(token && { authorization: `Bearer ${token}`, 'content-type': 'application/json' }),
    ...(etag && { 'if-none-match': etag }),
  }
  return limitTime(ports, isBulk ? BULK_FACTOR * timeout : timeout, stop, async (signal) => {
    const sent = body && { method: 'PUT', body }
    const response = await ports
      .fetch(base + path, { headers, redirect: 'manual', signal, ...sent })
      .catch(unreachable)
    const { status } = response
    const details = {
      status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAt: readRetryAt(response, ports.now()),
    }
    if (status === 304 && etag) return undefined
    if (status === 200 || (token && response.ok))
      return receive(response, await readBody(response, limit, signal), details)
    const problem = await readBody(response, MAX_PROBLEM, signal)
      .then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Problem)
      .catch(() => null)
    throw problemError(problem, { ...details, cause: problem }, key ?? token)
  })
}

/** @throws {ClientError} `unreachable` */
function unreachable(cause: unknown): never {
  throw createError('unreachable', 'The catalog cannot be reached', { cause })
}

/** @throws {ClientError} `unreachable` if the body breaks off, `response_too_large` */
async function readBody(
  { body, status }: Response,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = body?.getReader()
  const cancel = (): void => void reader?.cancel().catch(() => undefined)
  // A `fetch` that ignores the signal would receive forever.
  signal.addEventListener('abort', cancel)
  for (;;) {
    const part = await reader?.read().catch(unreachable)
    if (!part?.value) return new Uint8Array(await new Blob(chunks).arrayBuffer())
    chunks.push(part.value)
    size += part.value.length
    if (size > limit) {
      cancel()
      throw createError('response_too_large', `The response is larger than ${limit} bytes`, { status })
    }
  }
}

async function receive(
  { headers }: Response,
  bytes: Uint8Array<ArrayBuffer>,
  details: ClientErrorDetails,
): Promise<Received> {
  const stated = /sha-256=:([^:]*):/.exec(headers.get('content-digest') ?? '')?.[1]
  if (stated !== undefined && isPlain(headers, bytes.length)) {
    const hash = await crypto.subtle.digest('SHA-256', bytes)
    if (btoa(String.fromCharCode(...new Uint8Array(hash))) !== stated)
      throw digestMismatchError('content-digest', details)
  }
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      etag: headers.get('etag') ?? undefined,
      isImmutable: /\bimmutable\b/.test(headers.get('cache-control') ?? ''),
    }
  } catch {
    throw invalidResponseError('it is not UTF-8', details)
  }
}

/** Browsers hide `Content-Encoding` from other origins, not the length, and choose the encoding. */
function isPlain(headers: Headers, size: number): boolean {
  if (headers.has('content-encoding')) return false
  const length = headers.get('content-length')
  if (length !== null) return Number(length) === size
  const { headers: sent } = new Request('http://localhost', { headers: { 'accept-encoding': 'identity' } })
  return sent.has('accept-encoding')
}

/** Reads `Retry-After`: seconds or a date. */
function readRetryAt({ headers }: Response, now: number): Date | undefined {
  const value = headers.get('retry-after') ?? ''
  const time = /^\d{1,9}$/.test(value) ? now + 1000 * Number(value) : Date.parse(value)
  return Number.isNaN(time) ? undefined : new Date(time)
}

/** The body of an error of the API, of unknown origin. */
type Problem = { readonly [field in 'code' | 'detail' | 'errors' | 'nearest']?: unknown } | null

function problemError(problem: Problem, details: ClientErrorDetails, key: string | undefined): ClientError {
  const { status = 0 } = details
  const { code, detail, errors, nearest } = problem ?? {}
  if (typeof code !== 'string' || !/^[a-z_]{1,40}$/.test(code)) {
    const kind = status === 429 || status >= 500 ? 'unreachable' : 'invalid_response'
    return createError(kind, `The response has status ${status}`, details)
  }
  const list = (before: string, values: unknown): string[] =>
    Array.isArray(values) && values.length > 0 ? [before + values.map(describeItem).join(', ')] : []
  const more = [...list('', errors), ...list('Like it: ', nearest)]
  const message = [typeof detail === 'string' ? detail : code, ...more].join('. ')
  const hidden = key ? message.replaceAll(key, '***') : message
  return createError(code, hidden.slice(0, 1000), details)
}

function describeItem(item: unknown): string {
  const { detail, slug, id } = Object(item) as Record<string, unknown>
  return String(detail ?? slug ?? id ?? item)
}

/** What the client needs from the runtime. Tests replace it. */
export interface Ports {
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits; rejects with the reason of the signal. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly warn: (sentence: string) => void
  /** Milliseconds until a list of purges is read again. @default a day */
  readonly maxPurgeAge?: number | undefined
}

export const defaultPorts: Ports = {
  // Read at each call, and called without `this`, as browsers demand.
  fetch: (...request) => fetch(...request),
  now: () => Date.now(),
  random: () => Math.random(),
  // Browsers have no process.
  warn: (sentence) => globalThis.process?.emitWarning?.(sentence, 'PacksWarning'),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      })
    }),
}

/**
 * The signal passed to the work is aborted when its result is no longer needed.
 * @throws {ClientError} `timeout`
 * @throws the reason of the signal
 */
export async function limitTime<T>(
  { wait }: Ports,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const expire = async (): Promise<never> => {
    // Rejects when the signal aborts.
    await wait(milliseconds, controller.signal)
    throw createError('timeout', `No complete answer within ${milliseconds} ms`)
  }
  try {
    return await Promise.race([work(controller.signal), expire()])
  } finally {
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}

/**
 * Tells whether a key may be sent to a URL: over https, or over http to 127.0.0.0/8, `[::1]` and
 * `localhost`, which do not leave this machine.
 * @example
 * mayCarryKey('http://127.0.0.1:8080') // true
 * mayCarryKey('http://packs.example') // false
 */
export function mayCarryKey(url: string): boolean {
  if (!URL.canParse(url)) return false
  // The parser writes each form of an IPv4 address, such as 127.1, as four decimal numbers.
  const { protocol, hostname } = new URL(url)
  const isLoopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

/** Returns a URL without `/api/v1` and trailing slashes; empty if it cannot be used. */
export function readUrl(url: string): string {
  if (!URL.canParse(url)) return ''
  const { href, origin, pathname } = new URL(url)
  // Neither contains a password, a query or a fragment.
  if (!/^https?:/.test(href) || href !== origin + pathname) return ''
  return origin + pathname.replace(/(?<!\/)(?:\/+api(?:\/v1)?)?\/*$/, '')
}
