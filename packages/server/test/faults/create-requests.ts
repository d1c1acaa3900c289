import { createHash } from 'node:crypto'
import type { PublishRequest } from '@packs/publisher'
import { request, writeSource } from '../../../publisher/test/sources.ts'

/** Creates requests that build quickly, each for its own pack. */
export function createRequests(name: string, count: number): PublishRequest[] {
  return Array.from({ length: count }, (_, at) => createRequest(`${name}-${at}`))
}

/** Creates a request that builds quickly. */
export function createRequest(slug: string, body = '# A\n\nSome text.\n'): PublishRequest {
  return request(writeSource(slug, body))
}

/** Creates a request that takes many seconds to build, so that the fault happens during the build. */
export function createLongRequest(slug: string): PublishRequest {
  return request(writeSource(slug, createLongText(400_000), 'compression: dense-2\n'))
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
