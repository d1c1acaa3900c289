import type { Client } from '../types.ts'
import {
  type Answer,
  type CallContext,
  type CallQuota,
  MAX_TOKENS,
  MIN_TOKENS,
  TOKENS_PER_REQUEST,
  TOOL_TEXTS,
  chargeCall,
  createAnswerLimit,
} from './answer.ts'
import { createClientSource, type TokenizerLoader } from './client-source.ts'
import { type Explanation, type PackSource, SourceError, explainError, formatError } from './pack-source.ts'
import { type ReadArguments, readPack, type ReadData } from './read-pack.ts'
import { type SearchArguments, type SearchData, searchPacks } from './search-packs.ts'
import { parsePackName } from '@packs/codec/internal'

/** A tool for a model, in terms that every framework has. */
export interface AgentTool<Arguments extends object = object, Data extends object = object> {
  readonly name: keyof typeof TOOL_TEXTS
  readonly description: string
  readonly parameters: ToolParameters
  /**
   * Answers a call.
   * @param given what the model sent, parsed; anything else is an error that says what to send
   * @throws the reason of the signal, and errors that neither model nor catalog caused
   */
  execute(this: void, given: unknown, options?: ToolCallOptions): Promise<ToolResult<Data>>
  /**
   * Checks arguments and fills in defaults. Unlike `execute`, it and `answer` throw every error.
   * @throws SourceError `invalid_arguments`, VersionError `invalid_name` or `invalid_range`
   */
  prepare(this: void, given: unknown): PreparedCall<Arguments, Data>
}

/** A call whose arguments were checked. */
export interface PreparedCall<Arguments extends object = object, Data extends object = object> {
  readonly args: Arguments & { readonly max_tokens: number }
  /** @throws SourceError, ClientError, CodecError */
  answer(this: void, options?: ToolCallOptions): Promise<Answer<Data>>
}

/** The arguments of a tool as JSON Schema. */
export interface ToolParameters {
  readonly type: 'object'
  readonly properties: { readonly max_tokens: ToolParameter } & Readonly<Record<string, ToolParameter>>
  /** Mutable, as the types of frameworks want it. */
  readonly required: string[]
  readonly additionalProperties: false
}

type ToolParameter = {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly [keyword: string]: string | number | boolean
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined
}

/** What a tool returns: a text for the model, and the same as data. */
export type ToolResult<Data extends object = object> =
  | (Answer<Data> & { readonly isError?: never })
  | ToolFailure

/** An error that a model can act on: the text says what is wrong, and what to do. */
export interface ToolFailure extends Answer<{ readonly error: Explanation }> {
  readonly isError: true
  /** The error itself, for logs. */
  readonly cause: unknown
}

/** Settings of {@link createTools}. */
export interface ToolOptions extends CallQuota {
  /**
   * Whether the data too has at most `max_tokens`, for hosts that give it to a model.
   * @default text
   */
  readonly limited?: 'text' | 'both' | undefined
  /** @default the loader of `@packs/codec/compress` */
  readonly loadTokenizer?: TokenizerLoader | undefined
}

/** The tools of {@link createTools}. */
export type AgentTools = readonly [
  search: AgentTool<SearchArguments, SearchData>,
  read: AgentTool<ReadArguments, ReadData>,
]

/**
 * Creates the tools `search_packs` and `read_pack`, for any framework or none. The text of an
 * answer has at most `max_tokens` of o200k_base.
 *
 * An error that a model can act on is a result with `isError`, whose text tells it what to do: give
 * it to the model like an answer. Everything else is thrown.
 * @example
 * const tools = createTools(createClient({ url, key }))
 * const tool = tools.find(({ name }) => name === call.name)
 * const { text } = await tool.execute(JSON.parse(call.arguments))
 */
export function createTools(from: PackSource | Client, options: ToolOptions = {}): AgentTools {
  const { limited = 'text', loadTokenizer = loadFromCodec } = options
  const source = 'packs' in from ? createClientSource(from, loadTokenizer) : from

  const { search_packs: search, read_pack: read } = TOOL_TEXTS
  const createContext = async (most: number, call: ToolCallOptions = {}): Promise<CallContext> => {
    const { signal = new AbortController().signal } = call
    const limit = createAnswerLimit(most, await loadTokenizer('o200k_base'), limited)
    return { limit, signal }
  }
  return [
    createTool('search_packs', { query: search.query }, (given) => {
      const args = {
        query: readQuery(given),
        links: readLinks(given),
        max_tokens: readMaxTokens(given, 'search_packs'),
      }
      return {
        args,
        answer: (call) =>
          chargeCall(options, Math.ceil(args.max_tokens / TOKENS_PER_REQUEST), call?.signal, async () =>
            searchPacks(source, args, await createContext(args.max_tokens, call)),
          ),
      }
    }),
    createTool('read_pack', { pack: read.pack, section: read.section }, (given) => {
      const args = { ...readReadArguments(given), max_tokens: readMaxTokens(given, 'read_pack') }
      return {
        args,
        answer: (call) =>
          chargeCall(options, 1, call?.signal, async () =>
            readPack(source, args, await createContext(args.max_tokens, call)),
          ),
      }
    }),
  ]
}

/** The tokenizer is large, and only programs that call a tool need it. */
const loadFromCodec: TokenizerLoader = async (name) =>
  (await import('@packs/codec/compress')).loadTokenizer(name)

/** @param texts descriptions of the arguments that are texts; the first one is required */
function createTool<Arguments extends object, Data extends object>(
  name: keyof typeof TOOL_TEXTS,
  texts: Readonly<Record<string, string>>,
  prepareCall: (given: Readonly<Record<string, unknown>>) => PreparedCall<Arguments, Data>,
): AgentTool<Arguments, Data> {
  const { description, maxTokens } = TOOL_TEXTS[name]
  const fields = Object.entries(texts).map(([field, text]): [string, ToolParameter] => [
    field,
    { type: 'string', description: text },
  ])
  const links = { type: 'boolean', description: 'Write the addresses of links', default: false } as const
  const max_tokens = {
    type: 'integer',
    minimum: MIN_TOKENS,
    maximum: MAX_TOKENS,
    default: maxTokens,
  } as const
  const prepare = (given: unknown): PreparedCall<Arguments, Data> =>
    prepareCall(Object(given) as Readonly<Record<string, unknown>>)
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { ...Object.fromEntries(fields), links, max_tokens },
      required: [fields[0]![0]],
      additionalProperties: false,
    },
    prepare,
    async execute(given, call) {
      try {
        return await prepare(given).answer(call)
      } catch (error) {
        const failure = describeFailure(error)
        if (failure === undefined) throw error
        return failure
      }
    },
  }
}

/** Describes an error for the model that called a tool; undefined if it can do nothing about it. */
export function describeFailure(cause: unknown): ToolFailure | undefined {
  const error = explainError(cause, 'Answer with what you have, and tell the user about this error.')
  if (error === undefined) return undefined
  const { code, message, hint } = error
  return { text: formatError(error), data: { error: { code, message, hint } }, isError: true, cause }
}

type Arguments = Readonly<Record<string, unknown>>

/** Most characters of a query, as in the API, and of the name of a pack or section. */
const MAX_QUERY = 400
const MAX_NAME = 500

/** @throws SourceError `invalid_arguments` */
export function readQuery(given: Arguments): string {
  const query = readText(given, 'query')
  if (query === undefined || !/[\p{L}\p{N}]/u.test(query))
    throw argumentError('query must have words.', 'Write a question or keywords.')
  // A code point has at most two units; a huge text is not split.
  if (query.length > 2 * MAX_QUERY || Array.from(query).length > MAX_QUERY)
    throw argumentError(`query must have at most ${MAX_QUERY} characters.`, 'Keep the words that matter.')
  return query
}

/** @throws SourceError `invalid_arguments`, VersionError `invalid_name` or `invalid_range` */
function readReadArguments(given: Arguments): ReadArguments {
  const pack = readText(given, 'pack')
  if (pack === undefined) throw argumentError('pack is missing.', 'Name a pack; search_packs finds names.')
  checkLength('pack', pack)
  parsePackName(pack)
  const section = readText(given, 'section')
  if (section !== undefined) checkLength('section', section)
  return { pack, section, links: readLinks(given) }
}

/** Models send `null` or an empty text for no argument too. */
function readText(given: Arguments, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string')
    throw argumentError(`${name} must be a string, not ${describeType(value)}.`, 'Send it as text.')
  const text = value.length > 100_000 ? value : value.toWellFormed().trim()
  return text === '' ? undefined : text
}

/** Models also write the word. */
function readLinks({ links = null }: Arguments): boolean {
  if (links === null || typeof links === 'boolean') return links === true
  if (links === 'true' || links === 'false') return links === 'true'
  throw argumentError(`links must be true or false, not ${describeType(links)}.`, 'Omit it for false.')
}

function checkLength(name: string, text: string): void {
  if (text.length > MAX_NAME)
    throw argumentError(
      `${name} must have at most ${MAX_NAME} characters.`,
      'search_packs finds names and ids.',
    )
}

/** @throws SourceError `invalid_arguments` */
function readMaxTokens(given: Arguments, tool: keyof typeof TOOL_TEXTS): number {
  const { maxTokens: otherwise } = TOOL_TEXTS[tool]
  const value = given['max_tokens'] ?? otherwise
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw argumentError(
      `max_tokens must be a whole number, not ${describeType(value)}.`,
      `Omit it for ${otherwise}.`,
    )
  if (value < MIN_TOKENS)
    throw argumentError(`max_tokens must be at least ${MIN_TOKENS}.`, `Omit it for ${otherwise}.`)
  if (value > MAX_TOKENS)
    throw argumentError(`max_tokens must be at most ${MAX_TOKENS}.`, 'Read a large pack by its sections.')
  return value
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return `${value}`
  return value === null ? 'null' : `of type ${typeof value}`
}

function argumentError(message: string, hint: string): SourceError {
  return new SourceError('invalid_arguments', message, hint)
}
