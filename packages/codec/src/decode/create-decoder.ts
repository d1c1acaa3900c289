import { CodecError } from '../errors.ts'
import { MAX_OUTPUT } from '../rosetta/limits.ts'
import type { Rosetta } from '../types.ts'
import { createExpander } from './create-expander.ts'

export interface DecodeOptions {
  /** Most UTF-16 units of output; the unit of content that does not fit is refused. @default 67108864 (64 Mi) */
  readonly maxOutput?: number
}

/** Decodes content that comes in chunks cut anywhere, also inside a surrogate pair. */
export interface Decoder {
  /** Takes the next chunk and gives all output that is certain by now. @throws CodecError */
  push(this: void, chunk: string): string
  /** Gives the rest. The decoder cannot be used again. @throws CodecError */
  end(this: void): string
}

/**
 * Creates a decoder whose outputs, joined, are for every chunking what `decode` gives (SPEC.md §6).
 *
 * @throws CodecError for a header that is not allowed.
 * @example
 * const decoder = createDecoder('[DECODE] ML=machine learning')
 * decoder.push('M') + decoder.push('L!') + decoder.end() // 'machine learning!'
 */
export function createDecoder(
  rosetta: string | Rosetta,
  { maxOutput = MAX_OUTPUT }: DecodeOptions = {},
): Decoder {
  const { expand } = createExpander(rosetta, maxOutput)
  let ended = false

  function take(chunk: string, final: boolean): string {
    if (ended) throw new CodecError('decoder_ended', {})
    ended = true
    const output = expand(chunk, final)
    ended = final
    return output
  }

  return { push: (chunk) => take(chunk, false), end: () => take('', true) }
}
