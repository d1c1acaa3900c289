import { CodecError } from '../errors.ts'
import { MAX_OUTPUT } from '../rosetta/grammar.ts'
import type { Rosetta } from '../types.ts'
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

/**
 * A web `TransformStream`, string to string, over {@link createDecoder}.
 *
 * @throws CodecError for a header or an option that is not allowed; one that comes later fails the stream.
 * @example
 * response.body.pipeThrough(new TextDecoderStream()).pipeThrough(decodeStream(rosetta))
 */
export function decodeStream(
  rosetta: string | Rosetta,
  options?: DecodeOptions,
): TransformStream<string, string> {
  const decoder = createDecoder(rosetta, options)
  return new TransformStream<string, string>({
    transform: (chunk, controller) => send(decoder.push(chunk), controller),
    flush: (controller) => send(decoder.end(), controller),
  })
}

function send(output: string, controller: TransformStreamDefaultController<string>): void {
  if (output) controller.enqueue(output)
}
