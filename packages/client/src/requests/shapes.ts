import {
  fits,
  type Shape,
  shapeOfOutlineSection,
  shapeOfPackContext,
  shapeOfPackSummary,
  shapeOfPackVersion,
  shapeOfSearchHit,
} from '@packs/codec/verify'
import { invalidResponseError } from '../client-error.ts'
import type { Resource } from './load.ts'

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

/**
 * Parses JSON of a shape.
 *
 * @throws {ClientError} `invalid_response`
 */
export function parseJson<T>(text: string, shape: Shape): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidResponseError('it is not JSON')
  }
  checkShape(value, shape)
  return value as T
}

/**
 * Checks the shape of a value in a response.
 *
 * @throws {ClientError} `invalid_response`
 */
export function checkShape(value: unknown, shape: Shape): void {
  if (!fits(value, shape)) throw invalidResponseError('a field is missing or wrong')
}

/**
 * A resource that is JSON of a shape.
 *
 * @param check throws a ClientError if the value is not what was asked for
 */
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

/**
 * Writes a path with a query, without the parameters that have no value. Those with several are
 * repeated.
 */
export function writePath(path: string, query: Query): string {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return `/api/v1${path}?${new URLSearchParams(set)}`
}
