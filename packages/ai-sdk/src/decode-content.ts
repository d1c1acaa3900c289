import {
  type AnswerDecoder,
  createAnswerDecoder,
  createLinkResolver,
  decodeAnswer,
  type LinkTable,
  listTerms,
  resolveLinks,
  type Rosetta,
} from '@packs/codec'
import type { LanguageModelMiddleware } from 'ai'

type Wrapped<Method extends 'wrapGenerate' | 'wrapStream'> = Awaited<
  ReturnType<NonNullable<LanguageModelMiddleware[Method]>>
>
// Of the newest SDK. What is decoded here has the same form in AI SDK 6, but for citations, which it does not have.
type Content = Wrapped<'wrapGenerate'>['content'][number]
type StreamPart = Wrapped<'wrapStream'>['stream'] extends ReadableStream<infer Part> ? Part : never
type ToolCall = Extract<Content, { type: 'tool-call' }>
type Citations = Extract<Content, { type: 'text' }>['citations']

export interface PartOptions {
  readonly reasoning: boolean
  readonly isJson: boolean
}

/** Reads what a model wrote: expands terms, then puts the addresses of links in place. */
export interface AnswerReader {
  readonly read: (answer: string) => string
  /** Reads an answer that comes in chunks. */
  readonly open: () => AnswerDecoder
  /** Returns where an offset in an answer is in what `read` returns. */
  readonly locate: (answer: string) => (offset: number) => number
}

/** @throws CodecError for an invalid header */
export function createAnswerReader(
  rosetta: string | Rosetta,
  links: LinkTable | undefined = [],
): AnswerReader {
  const resolve = (text: string): string => resolveLinks(text, links)
  const open = (): AnswerDecoder => {
    const terms = createAnswerDecoder(rosetta)
    const resolver = createLinkResolver(links)
    return {
      push: (chunk) => resolver.push(terms.push(chunk)),
      end: () => resolver.push(terms.end()) + resolver.end(),
    }
  }
  // An invalid header fails here, not in the first call.
  open()
  return {
    read: (answer) => resolve(decodeAnswer(answer, rosetta)),
    open,
    locate(answer) {
      const uses = listTerms(answer, rosetta)
      const decoded = decodeAnswer(answer, rosetta)
      return (index) => {
        const moved = uses.reduce((sum, { term, expansion, offset }) => {
          return sum + (offset < index ? expansion.length - term.length : 0)
        }, index)
        return resolve(decoded.slice(0, moved)).length
      }
    },
  }
}

export function decodeContent(
  content: readonly Content[],
  reader: AnswerReader,
  { reasoning, isJson }: PartOptions,
): Content[] {
  // Consumers join all text before they parse it as JSON, so one decoder reads it all.
  const json = isJson ? createJsonDecoder(reader) : undefined
  const last = content.findLast(({ type }) => type === 'text')
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return json
          ? { ...part, text: json.push(part.text) + (part === last ? json.end() : '') }
          : { ...moveCitations(part, part.text, reader), text: reader.read(part.text) }
      case 'reasoning':
        return reasoning ? { ...part, text: reader.read(part.text) } : part
      case 'tool-call':
        return decodeInput(part, reader)
      default:
        return part
    }
  })
}

/** A string of JSON with what follows it, or a text up to the next string. */
const JSON_TOKEN = /"(?:[^"\\]|\\[^])*"\s*(?=\S)|[^"]+/y

/**
 * Creates a decoder for JSON text in chunks that may be cut anywhere. Each string is a separate
 * answer and is escaped again; names of members, and strings that are not JSON or break off, stay.
 * A string is held back until it is known not to be a name.
 */
function createJsonDecoder(reader: AnswerReader): AnswerDecoder {
  let held = ''
  return {
    push(chunk) {
      held += chunk
      JSON_TOKEN.lastIndex = 0
      let end = 0
      while (JSON_TOKEN.test(held)) end = JSON_TOKEN.lastIndex
      const whole = held.slice(0, end)
      held = held.slice(end)
      return decodeJson(whole, reader)
    },
    end() {
      const rest = decodeJson(held, reader)
      held = ''
      return rest
    },
  }
}

/** Decodes the strings of a JSON text that are not names. One that breaks off is read once. */
export function decodeJson(text: string, reader: AnswerReader): string {
  return text.replace(/"(?:[^"\\]|\\[^])*(?:"(\s*:)?|\\?$)/g, (token, colon?: string) => {
    if (colon !== undefined) return token
    try {
      const string = JSON.parse(token) as string
      const decoded = reader.read(string)
      return decoded === string ? token : JSON.stringify(decoded)
    } catch (error) {
      if (error instanceof SyntaxError) return token
      throw error
    }
  })
}

/** Invalid JSON stays unchanged, and so does input of a tool that the provider has executed. */
export function decodeInput(part: ToolCall, reader: AnswerReader): ToolCall {
  if (part.providerExecuted || !isJsonText(part.input)) return part
  return { ...part, input: decodeJson(part.input, reader) }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @param text before decoding */
export function moveCitations<Part extends { citations?: Citations }>(
  part: Part,
  text: string,
  reader: AnswerReader,
): Part {
  if (!part.citations) return part
  const move = reader.locate(text)
  const citations = part.citations.map(({ startIndex, endIndex, ...citation }) => ({
    ...citation,
    ...(startIndex !== undefined && { startIndex: move(startIndex) }),
    ...(endIndex !== undefined && { endIndex: move(endIndex) }),
  }))
  return { ...part, citations }
}

type DeltaType = 'text-delta' | 'reasoning-delta'
type Delta = Extract<StreamPart, { type: DeltaType }>

interface OpenBlock extends AnswerDecoder {
  readonly type: DeltaType
  readonly id: string
  /** All deltas as received, for the positions of citations. */
  received: string
}

/** What is held back is sent at the end of its block, and before the stream finishes or fails. */
export function decodeStreamParts(
  stream: ReadableStream<StreamPart>,
  reader: AnswerReader,
  options: PartOptions,
): ReadableStream<StreamPart> {
  const decoder = createPartDecoder(reader, options)
  const source = stream.getReader()
  /** Errors of the stream; at most one. */
  const failures: unknown[] = []

  /** Reads until there is something to send; undefined at the end. */
  async function readParts(): Promise<StreamPart[] | undefined> {
    for (;;) {
      const { done, value } = await source.read().catch((error: unknown) => {
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
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function createPartDecoder(reader: AnswerReader, { reasoning, isJson }: PartOptions) {
  const blocks = new Map<string, OpenBlock>()
  // Consumers join all text of a step before they parse it as JSON, so one decoder reads it all.
  const json = isJson ? createJsonDecoder(reader) : undefined

  function decodeDelta(part: Delta): StreamPart[] {
    const key = `${part.type} ${part.id}`
    const block = blocks.get(key) ?? {
      ...((part.type === 'text-delta' && json) || reader.open()),
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
    const delta = block?.end()
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
      case 'text-end': {
        const received = blocks.get(`text-delta ${part.id}`)?.received ?? ''
        return [...endBlock('text-delta', part.id), isJson ? part : moveCitations(part, received, reader)]
      }
      case 'reasoning-end':
        return [...endBlock('reasoning-delta', part.id), part]
      case 'tool-call':
        return [decodeInput(part, reader)]
      case 'finish':
      case 'error':
        return [...flush(), part]
      default:
        return [part]
    }
  }

  return { take, flush }
}
