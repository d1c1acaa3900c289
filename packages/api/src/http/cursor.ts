import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidParametersError } from '../errors/api-error.ts'

const BYTES_OF_SIGNATURE = 16

/**
 * Signs a position together with its filters.
 * @param filters serialized; equal filters of one route must give equal text
 */
export function writeCursor(position: Buffer, filters: string, secret: Uint8Array): string {
  return `${position.toString('base64url')}.${sign(position, filters, secret).toString('base64url')}`
}

/** @throws ApiError `invalid_parameter` if it was not written for these filters */
export function readCursor(cursor: string, filters: string, secret: Uint8Array): Buffer {
  const parts = cursor.split('.').map((part) => Buffer.from(part, 'base64url'))
  const [position, signature] = parts
  const isCanonical = parts.map((bytes) => bytes.toString('base64url')).join('.') === cursor
  const isWhole = isCanonical && position !== undefined && signature?.length === BYTES_OF_SIGNATURE
  if (isWhole && timingSafeEqual(signature, sign(position, filters, secret))) return position
  const detail =
    'is not a cursor of this service, or belongs to other filters; send the same filters as in the first request'
  throw invalidParametersError([{ parameter: 'cursor', detail }])
}

function sign(position: Buffer, filters: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret)
    .update(position)
    .update(filters)
    .digest()
    .subarray(0, BYTES_OF_SIGNATURE)
}
