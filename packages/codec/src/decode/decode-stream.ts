import type { Rosetta } from '../types.ts'
import { createDecoder, type DecodeOptions } from './create-decoder.ts'

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
