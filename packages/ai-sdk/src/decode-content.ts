import { decodeAnswer, listTerms, type Rosetta, createAnswerDecoder } from '@packs/codec'
import type { LanguageModelMiddleware } from 'ai'
import { createJsonDecoder, type JsonDecoder } from './json-decoder.ts'

type Wrapped<Method extends 'wrapGenerate' | 'wrapStream'> = Awaited<
  ReturnType<NonNullable<LanguageModelMiddleware[Method]>>
>
// Of the newest SDK. What is decoded here has the same form in AI SDK 6, but for citations, which it does not have.
type Content = Wrapped<'wrapGenerate'>['content'][number]
type StreamPart = Wrapped<'wrapStream'>['stream'] extends ReadableStream<infer Part> ? Part : never
type ToolCall = Extract<Content, { type: 'tool-call' }>
type Citations = Extract<Content, { type: 'text' }>['citations']

/** How the parts of an answer are decoded. */
export interface PartOptions {
  /** Whether reasoning is decoded too. */
  readonly reasoning: boolean
  /** Whether the text is JSON. */
  readonly isJson: boolean
}

/** Decodes the content of an answer: text, the input of tools, and reasoning if asked. */
export function decodeContent(
  content: readonly Content[],
  rosetta: string | Rosetta,
  { reasoning, isJson }: PartOptions,
): Content[] {
  // Consumers join all text before they parse it as JSON, so one decoder reads it all.
  const json = isJson ? createJsonDecoder(rosetta) : undefined
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return json
          ? { ...part, text: decodeJson(part.text, json) }
          : { ...moveCitations(part, part.text, rosetta), text: decodeAnswer(part.text, rosetta) }
      case 'reasoning':
        return reasoning ? { ...part, text: decodeAnswer(part.text, rosetta) } : part
      case 'tool-call':
        return decodeInput(part, rosetta)
      default:
        return part
    }
  })
}

export function decodeJson(text: string, decoder: JsonDecoder): string {
  return decoder.push(text) + decoder.flush()
}

/**
 * Decodes the input of a tool call. Invalid JSON stays unchanged, and so does the input of a
 * tool that the provider has executed: the tool got it that way.
 */
export function decodeInput(part: ToolCall, rosetta: string | Rosetta): ToolCall {
  if (part.providerExecuted || !isJsonText(part.input)) return part
  return { ...part, input: decodeJson(part.input, createJsonDecoder(rosetta)) }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Moves citations to where their text is after decoding.
 *
 * @param text before decoding
 */
export function moveCitations<Part extends { citations?: Citations }>(
  part: Part,
  text: string,
  rosetta: string | Rosetta,
): Part {
  if (!part.citations) return part
  const uses = listTerms(text, rosetta)
  const move = (index: number): number =>
    uses.reduce(
      (moved, { term, expansion, offset }) => moved + (offset < index ? expansion.length - term.length : 0),
      index,
    )
  const citations = part.citations.map(({ startIndex, endIndex, ...citation }) => ({
    ...citation,
    ...(startIndex !== undefined && { startIndex: move(startIndex) }),
    ...(endIndex !== undefined && { endIndex: move(endIndex) }),
  }))
  return { ...part, citations }
}

type DeltaType = 'text-delta' | 'reasoning-delta' | 'tool-input-delta'
type Delta = Extract<StreamPart, { type: DeltaType }>

interface OpenBlock extends JsonDecoder {
  readonly type: DeltaType
  readonly id: string
  /** All deltas as received, for the positions of citations. */
  received: string
}

interface PartDecoder {
  /** Returns the parts to send for the next part. */
  take(part: StreamPart): StreamPart[]
  /** Returns what is held back. */
  flush(): StreamPart[]
}

/**
 * Decodes a stream of a language model: text, the input of tools, and reasoning if asked. What is
 * held back is sent at the end of its block, and before the stream finishes, ends or fails.
 */
export function decodeStreamParts(
  stream: ReadableStream<StreamPart>,
  rosetta: string | Rosetta,
  options: PartOptions,
): ReadableStream<StreamPart> {
  const decoder = createPartDecoder(rosetta, options)
  const reader = stream.getReader()
  /** Errors of the stream; at most one. */
  const failures: unknown[] = []

  /**
   * Reads until there is something to send.
   *
   * @returns undefined at the end
   */
  async function readParts(): Promise<StreamPart[] | undefined> {
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

  return new ReadableStream<StreamPart>(
    {
      // It is called when the consumer has taken everything, so an error discards nothing sent before it.
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
  /**
   * Inputs that are not JSON, and inputs for the provider's own tools, which got them that way.
   */
  const inputs = new Map<string, 'text' | 'executed'>()

  function createBlockDecoder({ type, id }: Delta): JsonDecoder {
    if (type === 'text-delta' && json) return json
    if (type === 'tool-input-delta' && !inputs.has(id)) return createJsonDecoder(rosetta)
    const { push, end } = createAnswerDecoder(rosetta)
    return { push, flush: end }
  }

  function decodeDelta(part: Delta): StreamPart[] {
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

  function endBlock(type: DeltaType, id: string): StreamPart[] {
    const block = blocks.get(`${type} ${id}`)
    blocks.delete(`${type} ${id}`)
    const delta = block?.flush()
    return delta ? [{ type, id, delta }] : []
  }

  function flush(): StreamPart[] {
    return [...blocks.values()].flatMap(({ type, id }) => endBlock(type, id))
  }

  function take(part: StreamPart): StreamPart[] {
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
