import type {
  LanguageModelV4Citation,
  LanguageModelV4Content,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { decodeAnswer, listTerms, type Rosetta } from '@packs/codec'
import { createJsonDecoder, type JsonDecoder } from './json-decoder.ts'

/** How the parts of an answer are decoded. */
export interface PartOptions {
  /** Whether reasoning is decoded too. */
  readonly reasoning: boolean
  /** Whether the text is JSON. */
  readonly isJson: boolean
}

/** Decodes the content of an answer: text, the input of tools, and reasoning if asked. */
export function decodeContent(
  content: readonly LanguageModelV4Content[],
  rosetta: string | Rosetta,
  { reasoning, isJson }: PartOptions,
): LanguageModelV4Content[] {
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

/** Decodes a JSON text. */
export function decodeJson(text: string, decoder: JsonDecoder): string {
  return decoder.push(text) + decoder.flush()
}

/**
 * Decodes the input of a tool call. Input that is not valid JSON is left as it is, and so is that of a tool that the provider has
 * executed: the tool got it as it is.
 */
export function decodeInput(
  part: LanguageModelV4ToolCall,
  rosetta: string | Rosetta,
): LanguageModelV4ToolCall {
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

/** Moves citations to where their text stands after decoding. @param text before decoding */
export function moveCitations<Part extends { citations?: LanguageModelV4Citation[] }>(
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
