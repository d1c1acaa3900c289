import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createAnswerDecoder, type Rosetta } from '@packs/codec'
import { createJsonDecoder, type JsonDecoder } from './json-decoder.ts'
import { decodeInput, moveCitations, type PartOptions } from './decode-content.ts'

type DeltaType = 'text-delta' | 'reasoning-delta' | 'tool-input-delta'
type Delta = Extract<LanguageModelV4StreamPart, { type: DeltaType }>

/** A text, reasoning or input that has begun. */
interface OpenBlock extends JsonDecoder {
  readonly type: DeltaType
  readonly id: string
  /** All deltas as they came, for the places of citations. */
  received: string
}

/** Decodes the parts of one stream. */
interface PartDecoder {
  /** Returns the parts to send for the next part. */
  take(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart[]
  /** Returns what is held back. */
  flush(): LanguageModelV4StreamPart[]
}

/**
 * Decodes a stream of a language model: text, the input of tools, and reasoning if asked. What is held back is sent at the end of its
 * block, and before the stream finishes, ends or fails.
 */
export function decodeStreamParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  rosetta: string | Rosetta,
  options: PartOptions,
): ReadableStream<LanguageModelV4StreamPart> {
  const decoder = createPartDecoder(rosetta, options)
  const reader = stream.getReader()
  /** Errors of the stream; at most one. */
  const failures: unknown[] = []

  /** Reads until there is something to send. @returns undefined at the end */
  async function readParts(): Promise<LanguageModelV4StreamPart[] | undefined> {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        failures.push(error)
        return { done: true, value: undefined }
      })
      if (done || value === undefined) return undefined
      const parts = decoder.take(value)
      if (parts.length > 0) return parts
    }
  }

  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      // It is called when the consumer has taken everything, so an error discards nothing that was sent before it.
      async pull(controller) {
        if (failures.length > 0) return controller.error(failures[0])
        const parts = await readParts()
        const sent = parts ?? decoder.flush()
        for (const part of sent) controller.enqueue(part)
        if (parts) return
        if (failures.length === 0) controller.close()
        else if (sent.length === 0) controller.error(failures[0])
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function createPartDecoder(rosetta: string | Rosetta, { reasoning, isJson }: PartOptions): PartDecoder {
  const blocks = new Map<string, OpenBlock>()
  // Consumers join all text of a step before they parse it as JSON, so one decoder reads it all.
  const json = isJson ? createJsonDecoder(rosetta) : undefined
  /** Inputs that are not JSON, and inputs for the provider's own tools, which got them as they are. */
  const inputs = new Map<string, 'text' | 'executed'>()

  function createBlockDecoder({ type, id }: Delta): JsonDecoder {
    if (type === 'text-delta' && json) return json
    if (type === 'tool-input-delta' && !inputs.has(id)) return createJsonDecoder(rosetta)
    const { push, end } = createAnswerDecoder(rosetta)
    return { push, flush: end }
  }

  function decodeDelta(part: Delta): LanguageModelV4StreamPart[] {
    const key = `${part.type} ${part.id}`
    const block = blocks.get(key) ?? {
      ...createBlockDecoder(part),
      type: part.type,
      id: part.id,
      received: '',
    }
    blocks.set(key, block)
    block.received += part.delta
    const delta = block.push(part.delta)
    // A part without text may have metadata, such as a signature.
    return delta || !part.delta || part.providerMetadata ? [{ ...part, delta }] : []
  }

  function endBlock(type: DeltaType, id: string): LanguageModelV4StreamPart[] {
    const block = blocks.get(`${type} ${id}`)
    blocks.delete(`${type} ${id}`)
    const delta = block?.flush()
    return delta ? [{ type, id, delta }] : []
  }

  function flush(): LanguageModelV4StreamPart[] {
    return [...blocks.values()].flatMap(({ type, id }) => endBlock(type, id))
  }

  function take(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        return decodeDelta(part)
      case 'reasoning-delta':
        return reasoning ? decodeDelta(part) : [part]
      case 'tool-input-start':
        if (part.providerExecuted) inputs.set(part.id, 'executed')
        else if (part.inputEncoding === 'text') inputs.set(part.id, 'text')
        return [part]
      case 'tool-input-delta':
        return inputs.get(part.id) === 'executed' ? [part] : decodeDelta(part)
      case 'text-end': {
        const received = blocks.get(`text-delta ${part.id}`)?.received ?? ''
        return [...endBlock('text-delta', part.id), isJson ? part : moveCitations(part, received, rosetta)]
      }
      case 'reasoning-end':
        return [...endBlock('reasoning-delta', part.id), part]
      case 'tool-input-end':
        return [...endBlock('tool-input-delta', part.id), part]
      case 'tool-call':
        return [...endBlock('tool-input-delta', part.toolCallId), decodeInput(part, rosetta)]
      case 'finish':
      case 'error':
        return [...flush(), part]
      default:
        return [part]
    }
  }

  return { take, flush }
}
