import type { Client, PreviewPack } from '@packs/client'
import {
  type AgentTool,
  type Answer,
  createClientSource,
  createTools,
  describeFailure,
  type OpenedPack,
  openText,
  type PackSource,
  SourceError,
  type ToolFailure,
} from '@packs/client/tools'
import type { Tokenizer } from '@packs/codec/compress'
import { linkText } from '@packs/codec/internal'
import { jsonSchema, type Schema, type Tool } from 'ai'

/** The tools of {@link packTools}. */
export interface PackTools {
  readonly search_packs: Tool<
    { query: string; links?: boolean | undefined; max_tokens?: number | undefined },
    SearchAnswer
  >
  readonly read_pack: Tool<
    {
      pack: string
      section?: string | undefined
      links?: boolean | undefined
      max_tokens?: number | undefined
    },
    ReadAnswer
  >
  readonly [name: string]: Tool
}

/** What `search_packs` returns. */
export interface SearchAnswer {
  /** One line for each hit. */
  readonly text: string
  readonly hits: readonly {
    readonly pack: string
    readonly version: string
    readonly pack_digest: string | null
    readonly section: string | null
    readonly tokens: number
    /** Only for a client with a lock that does not pin this version: `read_pack` cannot read it. */
    readonly pinned?: false
  }[]
}

/** What `read_pack` returns. */
export interface ReadAnswer {
  /** The text of the pack or section, or its outline. */
  readonly text: string
  readonly pack: string
  readonly version: string
  /** `null` for a preview, whose digest cannot be verified. */
  readonly pack_digest: string | null
  /** Id of the key that signed the pack, which was verified; `null` for none, and for a preview. */
  readonly signer: string | null
  readonly section: string | null
  /** Whether the text is the outline, because the whole has more tokens than `max_tokens`. */
  readonly outline: boolean
}

/**
 * Creates two tools of AI SDK 6 and 7 with which a model searches a catalog and reads packs and
 * sections: `search_packs` and `read_pack`, the same as over MCP. A model gets the text of an
 * answer, at most `max_tokens` of o200k_base; the output of the tool also names pack, version and
 * digest, for logs.
 *
 * Texts are plain: a header of their own could give terms another meaning than the header that the
 * middleware `packs` decodes with. An error of the catalog becomes an error of the tool, which
 * tells the model what to do.
 * @param from a client, or packs in memory
 * @example
 * const catalog = createClient({ url, key })
 * await generateText({ model, tools: packTools(catalog), stopWhen: isStepCount(5), prompt: question
 * })
 */
export function packTools(from: Client | PackSource): PackTools {
  const source = 'packs' in from ? createClientSource(from, loadTokenizer, openPreview) : from
  const [search, read] = createTools(source, { loadTokenizer })
  return {
    search_packs: {
      description: search.description,
      inputSchema: createSchema(search),
      async execute(given, { abortSignal }) {
        const { text, data } = await execute(search, given, abortSignal)
        const hits = data.hits.map(({ pack, version, pack_digest = null, section, tokens, pinned }) => ({
          pack,
          version,
          pack_digest,
          section,
          tokens,
          ...(pinned === false && { pinned }),
        }))
        return { text, hits }
      },
      toModelOutput,
    },
    read_pack: {
      description: read.description,
      inputSchema: createSchema(read),
      async execute({ section: id = '', ...given }, { abortSignal }) {
        const args = /^#?$/.test(id) ? given : { ...given, section: id }
        const { text, data, isOutline: outline = false } = await execute(read, args, abortSignal)
        const { pack, version, pack_digest = null, signer = null, section = null } = data
        return { text, pack, version, pack_digest, signer, section, outline }
      },
      toModelOutput,
    },
  }
}

/** Creates the schema of a tool. What is wrong with arguments tells the model what to send. */
function createSchema<Arguments extends object>({
  parameters,
  prepare,
}: AgentTool<Arguments>): Schema<Arguments & { max_tokens: number }> {
  return jsonSchema(parameters, {
    validate(given) {
      try {
        return { success: true, value: prepare(given).args }
      } catch (error) {
        const failure = describeFailure(error)
        return { success: false, error: failure === undefined ? (error as Error) : toError(failure) }
      }
    },
  })
}

/** It is large, and only agents that call a tool need it. All packs are counted with it. */
async function loadTokenizer(): Promise<Tokenizer> {
  const codec = await import('@packs/codec/compress')
  return codec.loadTokenizer('o200k_base')
}

/** Reading sections of a preview costs no further request. Its last section may end early. */
function openPreview(_: Client, pack: PreviewPack): OpenedPack {
  const { slug, version, title, tokenizer, preview_tokens: tokens, content } = pack
  const opened = openText(
    { slug, version, digest: undefined, title, tokenizer, tokens, isPreview: true },
    loadTokenizer,
    linkText(pack, content),
  )
  return {
    ...opened,
    async find(id, signal) {
      const found = await opened.find(id, signal)
      if (found.section !== undefined) return found
      const message = `The preview of ${slug}@${version}, which is all that Free accounts get, has no such section.`
      const hint = 'Call read_pack without a section for its ids, or search_packs.'
      throw new SourceError('section_not_found', message, hint)
    },
  }
}

function toModelOutput({ output }: { output: { readonly text: string } }): { type: 'text'; value: string } {
  return { type: 'text', value: output.text }
}

/** Answers a call. The SDK shows a model the message of an error. */
async function execute<Data extends object>(
  tool: AgentTool<object, Data>,
  given: object,
  signal: AbortSignal | undefined,
): Promise<Answer<Data>> {
  const result = await tool.execute(given, { signal })
  if (result.isError) throw toError(result)
  return result
}

function toError({ text, cause }: ToolFailure): Error {
  return new Error(text, { cause })
}
