import { MAX_OUTPUT } from '../rosetta/limits.ts'
import type { Rosetta } from '../types.ts'
import type { DecodeOptions } from './create-decoder.ts'
import { createExpander } from './create-expander.ts'

/**
 * Restores what was compressed: every term of the header that stands free in `content` becomes its expansion
 * (SPEC.md §4). One pass; what was written is never read again.
 *
 * @throws CodecError for a header that is not allowed, or where the output would pass `maxOutput`.
 * @example
 * decode('# ML in HTML', '[DECODE] ML=machine learning') // '# machine learning in HTML'
 */
export function decode(
  content: string,
  rosetta: string | Rosetta,
  { maxOutput = MAX_OUTPUT }: DecodeOptions = {},
): string {
  return createExpander(rosetta, maxOutput).expand(content, true)
}
