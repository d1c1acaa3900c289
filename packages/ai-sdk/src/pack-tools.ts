import type { Client, PreviewPack } from '@packs/client'
import {
  type Answer,
  type CallContext,
  createAnswerLimit,
  createClientSource,
  explainError,
  formatError,
  MAX_TOKENS,
  MIN_TOKENS,
  type OpenedPack,
  openText,
  readMaxTokens,
  readPack,
  readQuery,
  readReadArguments,
  searchPacks,
  SourceError,
  TOOL_TEXTS,
} from '@packs/client/agent-tools'
import type { Tokenizer } from '@packs/codec/tokens'
import { jsonSchema, type Schema, type Tool } from 'ai'

/** The tools of {@link packTools}. */
export interface PackTools {
  readonly search_packs: Tool<{ query: string; max_tokens?: number | undefined }, SearchAnswer>
  readonly read_pack: Tool<
    { pack: string; section?: string | undefined; max_tokens?: number | undefined },
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
 *
 * @example
 * const catalog = createClient({ url, key })
 * await generateText({ model, tools: packTools(catalog), stopWhen: isStepCount(5), prompt: question })
 */
export function packTools(catalog: Client): PackTools {
  const source = createClientSource(catalog, loadTokenizer, openPreview)
  const { search_packs: search, read_pack: read } = TOOL_TEXTS
  return {
    search_packs: {
      description: search.description,
      inputSchema: createSchema(
        { query: { type: 'string', description: search.query }, max_tokens: limitSchema(search.maxTokens) },
        'query',
        (given) => ({ query: readQuery(given), max_tokens: readMaxTokens(given, 'search_packs') }),
      ),
      async execute({ query, max_tokens = search.maxTokens }, { abortSignal }) {
        const { text, data } = await answer(max_tokens, abortSignal, (context) =>
          searchPacks(source, query, context),
        )
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
      inputSchema: createSchema(
        {
          pack: { type: 'string', description: read.pack },
          section: { type: 'string', description: read.section },
          max_tokens: limitSchema(read.maxTokens),
        },
        'pack',
        (given) => ({ ...readReadArguments(given), max_tokens: readMaxTokens(given, 'read_pack') }),
      ),
      async execute({ pack: name, section: id = '', max_tokens = read.maxTokens }, { abortSignal }) {
        const args = { pack: name, section: /^#?$/.test(id) ? undefined : id }
        const found = await answer(max_tokens, abortSignal, (context) => readPack(source, args, context))
        const { pack, version, pack_digest = null, signer = null, section = null } = found.data
        const { text, isOutline: outline = false } = found
        return { text, pack, version, pack_digest, signer, section, outline }
      },
      toModelOutput,
    },
  }
}

type Properties = Readonly<
  Record<string, { readonly type: 'string' | 'integer'; readonly [keyword: string]: string | number }>
>

function limitSchema(otherwise: number): Properties[string] {
  return { type: 'integer', minimum: MIN_TOKENS, maximum: MAX_TOKENS, default: otherwise }
}

/**
 * Creates the schema of a tool.
 *
 * @param read checks arguments and fills in defaults; what it throws tells the model what to send
 */
function createSchema<Input>(
  properties: Properties,
  required: string,
  read: (given: Readonly<Record<string, unknown>>) => Input,
): Schema<Input> {
  return jsonSchema(
    { type: 'object', properties, required: [required], additionalProperties: false },
    {
      validate(given) {
        try {
          return { success: true, value: read(Object(given) as Readonly<Record<string, unknown>>) }
        } catch (error) {
          return { success: false, error: explain(error) }
        }
      },
    },
  )
}

/**
 * The tokenizer is large, and only agents that call a tool need it. All packs are counted with the
 * tokenizer of `max_tokens`.
 */
async function loadTokenizer(): Promise<Tokenizer> {
  const tokens = await import('@packs/codec/tokens')
  return tokens.loadTokenizer('o200k_base')
}

/**
 * Opens the text of a preview, so that reading its sections costs no further request. Its last
 * section may end early.
 */
function openPreview(_: Client, pack: PreviewPack): OpenedPack {
  const { slug, version, title, tokenizer, preview_tokens: tokens, content } = pack
  const opened = openText(
    { slug, version, digest: undefined, title, tokenizer, tokens, isPreview: true },
    loadTokenizer,
    content,
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

/** Answers a call. */
async function answer<Data extends object>(
  most: number,
  signal: AbortSignal = new AbortController().signal,
  work: (context: CallContext) => Promise<Answer<Data>>,
): Promise<Answer<Data>> {
  try {
    return await work({ limit: createAnswerLimit(most, await loadTokenizer(), 'text'), signal })
  } catch (error) {
    throw explain(error)
  }
}

/** Writes an error that a model can act on for it, because it sees the message only. */
function explain(error: unknown): Error {
  const explained = explainError(error, 'Answer with what you have, and tell the user about this error.')
  return explained === undefined ? (error as Error) : new Error(formatError(explained), { cause: error })
}
