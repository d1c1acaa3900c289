import { createHash } from 'node:crypto'
import type { PublishRequest } from '@packs/publisher'
import { request, writeSource } from '../../../publisher/test/sources.ts'

/** Sources that are built within a moment, each of another pack. */
export function createRequests(name: string, count: number): PublishRequest[] {
  return Array.from({ length: count }, (_, at) => createRequest(`${name}-${at}`))
}

/** A source that is built within a moment. */
export function createRequest(slug: string, body = '# A\n\nSome text.\n'): PublishRequest {
  return request(writeSource(slug, body))
}

/** A source that takes many seconds to build, so that it is under way when a fault comes. */
export function createLongRequest(slug: string): PublishRequest {
  return request(writeSource(slug, createLongText(400_000), 'compression: dense-1\n'))
}

function createLongText(length: number): string {
  const words = Array.from({ length: 4000 }, (_, at) =>
    createHash('sha256')
      .update(String(at))
      .digest('hex')
      .slice(0, 5 + (at % 4)),
  )
  let text = '# A\n\n'
  for (let at = 1; text.length < length; at++) {
    text += words[(Math.imul(at, 2_654_435_761) >>> 7) % words.length]! + (at % 12 === 0 ? '.\n' : ' ')
  }
  return text
}
