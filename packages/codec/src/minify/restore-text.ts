import { CodecError } from '../errors.ts'
import type { PatchRow } from './types.ts'

/**
 * Applies a patch to a minified text and returns its source.
 *
 * @throws {CodecError} `invalid_patch`, with the row as `entry`, if the rows are out of order, overlap or leave the text
 * @example
 * restoreText('[a](1)', [[4, 1, 'https://a.example']]) // '[a](https://a.example)'
 */
export function restoreText(text: string, patch: readonly PatchRow[]): string {
  const parts: string[] = []
  let end = 0
  for (const [index, [at, removed, inserted]] of patch.entries()) {
    if (!(at >= end && removed >= 0 && at + removed <= text.length))
      throw new CodecError('invalid_patch', { entry: index })
    parts.push(text.slice(end, at), inserted)
    end = at + removed
  }
  parts.push(text.slice(end))
  return parts.join('')
}
