import type { LinkTable, Rosetta } from '@packs/codec'
import type { LanguageModelMiddleware } from 'ai'
import { createAnswerReader, decodeContent, decodeJson, decodeStreamParts } from './decode-content.ts'

/** Settings of {@link packs}. */
export interface PacksOptions {
  /** The header of the prompt, as `prompt` of a client and `composePrompt` return it. */
  readonly rosetta: string | Rosetta
  /**
   * The addresses of numbered links, as they come with the header. Links of the answer get them.
   * @default none, so that numbers stay
   */
  readonly links?: LinkTable | undefined
  /**
   * Also decodes reasoning. Providers that sign reasoning reject it if it is sent back changed.
   * @default false
   */
  readonly reasoning?: boolean | undefined
}

/**
 * Creates a middleware for language models of AI SDK 6 and 7, for models that copy terms of a
 * prompt into what they write. It expands them where they are certain, as `decodeAnswer` does, then
 * puts the addresses of numbered links in place, as `resolveLinks` does: in text and structured
 * output, whole and streamed, and in the input of tools, once it is complete: its deltas pass as
 * they are. Most answers have none, and everything else stays unchanged. `listTerms` of
 * `@packs/codec` says whether a model writes terms at all.
 *
 * A term or link at the end of a chunk is held back until it is certain. JSON stays JSON: each
 * string is a separate answer, and the names of members stay unchanged.
 * @throws CodecError for an invalid header
 * @example
 * const { text, rosetta, links } = await catalog.prompt(['tls-certificates'])
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: packs({ rosetta, links })
 * }) const answer = await generateText({ model, instructions: text, prompt: question })
 */
export function packs({ rosetta, links, reasoning = false }: PacksOptions): LanguageModelMiddleware {
  const reader = createAnswerReader(rosetta, links)
  return {
    // AI SDK 6 demands this; 7 takes it too, and hands over the parts of its own version. Both have the same text and tool calls.
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate, params }) {
      const isJson = params.responseFormat?.type === 'json'
      const { structuredOutputText: json, ...result } = await doGenerate()
      return {
        ...result,
        content: decodeContent(result.content, reader, { reasoning, isJson }),
        ...(json !== undefined && { structuredOutputText: decodeJson(json, reader) }),
      }
    },
    async wrapStream({ doStream, params }) {
      const isJson = params.responseFormat?.type === 'json'
      const { stream, ...result } = await doStream()
      return { ...result, stream: decodeStreamParts(stream, reader, { reasoning, isJson }) }
    },
  }
}
