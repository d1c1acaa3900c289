import { CodecError } from '../errors.ts'
import type { Rosetta } from '../types.ts'
import { createExpander } from './create-expander.ts'

export interface DecodeOptions {
  /**
   * Maximum UTF-16 units of output; more is an error, but not for answers. @default 67108864 (64
   * Mi)
   */
  readonly maxOutput?: number
}

/**
 * Restores the source from the content of a pack or a prompt; for what a model writes use
 * `decodeAnswer`. Each use of a term becomes the term's expansion (SPEC.md §4). Output is never
 * read again.
 * @throws CodecError for an invalid header, or if the output would exceed `maxOutput`
 * @example
 * decode('# ML in HTML', '[DECODE] ML=machine learning') // '# machine learning in HTML'
 */
export function decode(
  content: string,
  rosetta: string | Rosetta,
  { maxOutput }: DecodeOptions = {},
): string {
  return createExpander(rosetta, maxOutput).expand(content, true)
}

/** Decodes content in chunks that may be cut anywhere, also inside a surrogate pair. */
export interface Decoder {
  /**
   * Takes the next chunk and returns all output that is certain.
   * @throws CodecError
   */
  push(this: void, chunk: string): string
  /**
   * Returns the remaining output. The decoder cannot be used again.
   * @throws CodecError
   */
  end(this: void): string
}

/**
 * Creates a streaming decoder for the content of a pack or a prompt; for what a model writes use
 * `createAnswerDecoder`. Its joined outputs equal the result of `decode`, however the content is
 * cut (SPEC.md §6).
 * @throws CodecError for an invalid header
 * @example
 * const decoder = createDecoder('[DECODE] ML=machine learning')
 * decoder.push('M') + decoder.push('L!') + decoder.end() // 'machine learning!'
 */
export function createDecoder(rosetta: string | Rosetta, { maxOutput }: DecodeOptions = {}): Decoder {
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
 * Creates a web `TransformStream` for the content of a pack or a prompt, from string to string; for
 * what a model writes use `createAnswerDecoder`. It works as {@link createDecoder} does.
 * @throws CodecError for an invalid header or option; a later error fails the stream
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
