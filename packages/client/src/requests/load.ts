import { ClientError, invalidResponseError } from '../client-error.ts'
import { type Received, type Request, type Server, sendRequest } from './send-request.ts'
import type { Store, StoredResponse } from './store.ts'
import type { CallOptions, Freshness } from '../types.ts'
import { findDuplicateMember } from '@packs/codec/internal'
import {
  shapeOfOutlineSection,
  shapeOfPackContext,
  shapeOfPackSummary,
  shapeOfPackVersion,
  shapeOfSearchHit,
} from '../generated/shapes.ts'
import { type Shape, fits } from '../shapes.ts'

export interface Connection extends Server {
  readonly store: Store
  readonly retries: number
  /** Milliseconds that a `Retry-After` may be waited for. */
  readonly maxWait: number
  /** One of these keys must have signed each pack. Undefined: signed by any, or unsigned. */
  readonly signers: readonly string[] | undefined
  /** Whether a cached pack is refused if the list of purges cannot be read. */
  readonly strict: boolean
}

/** What to load, and how to read its response. */
export interface Resource<T> extends Request {
  /**
   * Of a body, or of what the cache has instead of it.
   * @throws {ClientError} `invalid_response`, `digest_mismatch`
   */
  readonly parse: (text: string) => Promise<T> | T
  /** Returns what to cache instead of the body, if anything. */
  readonly dump?: (value: T) => Promise<Partial<StoredResponse> | undefined>
}

/** Freshness of a value that the catalog has just confirmed, or that never changes. */
export const FRESH: Freshness = { stale: false, age: 0 }

/** Combines the freshness of two values that a result depends on. */
export function join(a: Freshness, b: Freshness): Freshness {
  return { stale: a.stale || b.stale, age: Math.max(a.age, b.age) }
}

/**
 * A copy in the cache is revalidated, and used if the catalog is not available.
 * @param basis freshness of the values that led to this one
 * @throws {ClientError}
 */
export async function load<T extends object>(
  connection: Connection,
  resource: Resource<T>,
  { signal }: CallOptions = {},
  basis: Freshness = FRESH,
): Promise<T & Freshness> {
  const { store, ports } = connection
  const copy = await readCopy(store, resource, signal)
  if (copy?.isImmutable) return { ...copy.value, ...basis }
  try {
    const received = await request(connection, resource, { signal }, copy?.etag)
    const { value, ...response } = received ?? copy!
    const dumped = received && (await resource.dump?.(value))
    const stored = { ...response, ...dumped, at: ports.now() }
    if (stored.etag !== undefined || stored.isImmutable)
      await store.writeResponse(resource.path, stored, signal)
    return { ...value, ...basis }
  } catch (error) {
    // In place of the copy of what was purged.
    if ((error as Partial<ClientError>).status === 410)
      await store.writeResponse(resource.path, { text: '', at: 0, isImmutable: false })
    if (copy === undefined || !isUnavailable(error)) throw error
    const age = Math.max(0, Math.floor((ports.now() - copy.at) / 1000))
    return { ...copy.value, ...join(basis, { stale: true, age }) }
  }
}

/** Reads the copy in the cache; undefined if there is none, or if it is damaged. */
async function readCopy<T>(store: Store, { path, parse }: Resource<T>, signal?: AbortSignal) {
  try {
    const response = await store.readResponse(path, signal)
    return response && { ...response, value: await parse(response.text) }
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

/**
 * Undefined if the copy with this tag is current. A damaged response is requested once more.
 * @throws {ClientError}
 */
export async function request<T>(
  connection: Server & Pick<Connection, 'retries' | 'maxWait'>,
  resource: Resource<T>,
  { signal }: CallOptions = {},
  etag?: string,
): Promise<(Received & { readonly value: T }) | undefined> {
  const { retries, maxWait, ports } = connection
  let wasDamaged = false
  for (let count = 0; ; count++) {
    try {
      const received = await sendRequest(connection, resource, etag, signal)
      return received && { ...received, value: await resource.parse(received.text) }
    } catch (error) {
      signal?.throwIfAborted()
      const isDamaged =
        error instanceof ClientError && /^(?:invalid_response|digest_mismatch)$/.test(error.code)
      // After a timeout, a copy is better than waiting again.
      const mayRepeat = isDamaged
        ? !wasDamaged
        : isUnavailable(error) &&
          error.code !== 'damaged_pack' &&
          !(etag && error.code === 'timeout') &&
          !(connection.token && error.status === 500)
      if (!mayRepeat || count >= retries) throw error
      const { retryAt } = error as ClientError
      const backOff = isDamaged ? 0 : 2 ** count * (150 + 150 * ports.random())
      const delay = Math.max(0, retryAt ? +retryAt - ports.now() : backOff)
      if (delay > maxWait) throw error
      wasDamaged ||= isDamaged
      await ports.wait(delay, signal)
    }
  }
}

/** Tells whether the catalog cannot answer now, so that a copy may replace its answer. */
function isUnavailable(error: unknown): error is ClientError {
  if (!(error instanceof ClientError)) return false
  const { code, status = 0 } = error
  return code === 'unreachable' || code === 'timeout' || status === 429 || status >= 500
}

export const listShape: Shape = { data: [shapeOfPackSummary], meta: { next: 'string|null' } }

export const searchShape: Shape = { data: [shapeOfSearchHit], meta: { next: 'string|null' } }

export const contextShape: Shape = shapeOfPackContext

export const versionsShape: Shape = { data: [shapeOfPackVersion] }

export const outlineShape: Shape = {
  data: [shapeOfOutlineSection],
  meta: { slug: 'string', version: 'string', next: 'string|null' },
}

export const downloadShape: Shape = {
  data: ['object'],
  meta: { count: 'number', next_cursor: 'string|null', resume_cursor: 'string|undefined' },
}

export const removedShape: Shape = { id: 'string', slug: 'string', updated_at: 'string' }

/** Damaged packs, which a download omits. */
export const damagedShape: Shape = [{ slug: 'string', version: 'string|null' }]

/** Most bytes of a page of a list. */
const LIST_LIMIT = 16_777_216

/** @throws {ClientError} `invalid_response` */
export function parseJson<T>(text: string, shape: Shape): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidResponseError('it is not JSON')
  }
  if (findDuplicateMember(text) !== undefined)
    throw invalidResponseError('an object has two members of one name')
  checkShape(value, shape)
  return value as T
}

/** @throws {ClientError} `invalid_response` */
export function checkShape(value: unknown, shape: Shape): void {
  if (!fits(value, shape)) throw invalidResponseError('a field is missing or wrong')
}

/** @param check throws a ClientError if the value is not what was asked for */
export function jsonResource<T>(
  path: string,
  shape: Shape,
  check?: (value: T) => void | Promise<void>,
): Resource<T> {
  return {
    path,
    limit: LIST_LIMIT,
    async parse(text) {
      const value = parseJson<T>(text, shape)
      await check?.(value)
      return value
    },
  }
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Without parameters that have no value; those with several are repeated. */
export function writePath(path: string, query: Query): string {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return `/api/v1${path}?${new URLSearchParams(set)}`
}
