import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidParametersError } from '../../errors/api-error.ts'

/** Position in a download. */
export interface CursorPosition {
  /** Sequence of the last change that the client has. */
  readonly after: number
  /** Packs removed after this sequence are listed, because the client may have them. */
  readonly since: number
}

const BYTES_OF_NUMBER = 6
const BYTES_OF_SIGNATURE = 16

/**
 * Writes a cursor: a position in a download, signed together with its filters.
 *
 * @param filters serialised filters, the same text for the same filters
 */
export function writeCursor({ after, since }: CursorPosition, filters: string, secret: Uint8Array): string {
  const position = Buffer.alloc(2 * BYTES_OF_NUMBER)
  position.writeUIntBE(after, 0, BYTES_OF_NUMBER)
  position.writeUIntBE(since, BYTES_OF_NUMBER, BYTES_OF_NUMBER)
  return `${position.toString('base64url')}.${sign(position, filters, secret).toString('base64url')}`
}

/** Reads a cursor. @throws ApiError `invalid_parameter` if it was not written for these filters */
export function readCursor(cursor: string, filters: string, secret: Uint8Array): CursorPosition {
  const parts = cursor.split('.').map((part) => Buffer.from(part, 'base64url'))
  const [position, signature] = parts
  const isCanonical = parts.map((bytes) => bytes.toString('base64url')).join('.') === cursor
  const isWhole =
    isCanonical && position?.length === 2 * BYTES_OF_NUMBER && signature?.length === BYTES_OF_SIGNATURE
  if (!isWhole || !timingSafeEqual(signature, sign(position, filters, secret))) {
    const detail =
      'is not a cursor of this service, or has other filters; repeat the filters of the first request'
    throw invalidParametersError([{ parameter: 'cursor', detail }])
  }
  return {
    after: position.readUIntBE(0, BYTES_OF_NUMBER),
    since: position.readUIntBE(BYTES_OF_NUMBER, BYTES_OF_NUMBER),
  }
}

function sign(position: Buffer, filters: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret)
    .update(position)
    .update(filters)
    .digest()
    .subarray(0, BYTES_OF_SIGNATURE)
}
