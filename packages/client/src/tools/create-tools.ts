import {
  type DocsSource,
  findQuestionFault,
  loadFromCodec,
  quote,
  SourceError,
  type TokenizerLoader,
} from '../docs/source.ts'
import type { DocsPack } from '../docs/types.ts'
import {
  type Answer,
  type CallQuota,
  chargeCall,
  explainError,
  type Explanation,
  formatError,
  MAX_TOKENS,
  MIN_TOKENS,
  TOKENS_PER_REQUEST,
  type ToolPair,
} from './answer.ts'
import { type ReadArguments, type ReadData, readPack } from './read-pack.ts'
import { type SearchArguments, type SearchData, searchPacks } from './search-packs.ts'
import { optionError } from '../client-error.ts'
import { parsePackName } from '@packs/codec/internal'

/** A tool for a model, in terms that every framework has. */
export interface AgentTool<Arguments extends object = object, Data extends object = object> {
  readonly name: string
  readonly description: string
  readonly parameters: ToolParameters
  /**
   * Answers a call.
   * @param given what the model sent, parsed; anything else is an error that says what to send
   * @throws the reason of the signal, and errors that neither model nor catalog caused
   */
  execute(this: void, given: unknown, options?: ToolCallOptions): Promise<ToolResult<Data>>
  /** Checks arguments and fills in defaults, or says what is wrong with them. */
  check(this: void, given: unknown): CheckedArguments<Arguments>
}

/** Arguments for `execute`, or what is wrong with those that were given. */
export type CheckedArguments<Arguments extends object = object> =
  | { readonly args: Arguments & Record<string, unknown>; readonly failure?: never }
  | { readonly args?: never; readonly failure: ToolFailure }

/** A call whose arguments were checked. */
interface PreparedCall<Arguments extends object = object, Data extends object = object> {
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

/** What a tool returns: a text for the model, and for logs what it is from. */
export type ToolResult<Data extends object = object> =
  | (Answer<Data> & { readonly isError?: never })
  | ToolFailure

/** An error that a model can act on: the text says what is wrong, and what to do. */
export interface ToolFailure extends Answer<{ readonly error: Explanation }> {
  readonly isError: true
  /** The error itself, for logs. */
  readonly cause: unknown
}

/** How tools are told apart. */
export interface ToolNames {
  /** The tools are then `search_NAME` and `read_NAME`. @default `search_packs` and `read_pack` */
  readonly name?: string | undefined
  /** What the documents are about, for the description. @default made from titles and domains */
  readonly about?: string | undefined
}

/** Settings of {@link createTools}. */
export interface ToolOptions extends CallQuota, ToolNames {
  /** @default the loader of `@packs/codec/compress` */
  readonly loadTokenizer?: TokenizerLoader | undefined
}

/** The tools of {@link createTools}. */
export type AgentTools = readonly [
  search: AgentTool<SearchArguments, SearchData>,
  read: AgentTool<ReadArguments, ReadData>,
]

/** Of a name, so that names of tools have at most 64 characters and are valid everywhere. */
const NAME = /^[a-zA-Z0-9_-]{1,50}$/
const MAX_ABOUT = 400

const DEFAULT_TOKENS = { search: 2000, read: 8000 } as const

/**
 * Creates two tools for any framework or none: one finds passages, the other reads packs and
 * sections. The text of an answer has at most `max_tokens` of o200k_base.
 *
 * An error that a model can act on is a result with `isError`, whose text tells it what to do: give
 * it to the model like an answer. Everything else is thrown.
 * @throws ClientError `invalid_option`
 */
export function createTools(source: DocsSource, options: ToolOptions = {}): AgentTools {
  const { name, about = '', loadTokenizer = loadFromCodec } = options
  if (name !== undefined && !NAME.test(name))
    throw optionError('name', 'one to 50 letters, digits, hyphens or underscores')
  if (typeof about !== 'string' || about.length > MAX_ABOUT)
    throw optionError('about', `a text of at most ${MAX_ABOUT} characters`)
  const names: ToolPair =
    name === undefined
      ? { search: 'search_packs', read: 'read_pack' }
      : { search: `search_${name}`, read: `read_${name}` }
  const price = options.charge === undefined ? '' : PRICE
  const subject = about === '' ? '' : ` ${about.replace(/\s+/g, ' ').trim().replace(/\.?$/, '.')}`
  const createContext = async (
    most: number,
    { signal = new AbortController().signal }: ToolCallOptions = {},
  ) => {
    const tokenizer = await loadTokenizer('o200k_base')
    const count = (text: string): number => tokenizer.countTokens(text)
    return { limit: { maxTokens: most, count }, signal, names }
  }
  return [
    createTool<SearchArguments, SearchData>(
      {
        name: names.search,
        names,
        description: `Find documentation passages that answer a question.${subject} Returns their text within max_tokens, then names of further sections for ${names.read}.${price}`,
        texts: { query: 'Question or keywords; "quotes" demand a phrase' },
        maxTokens: DEFAULT_TOKENS.search,
      },
      (given, max_tokens) => {
        const args = { query: readQuery(given), links: readLinks(given), max_tokens }
        return {
          args,
          answer: (call) =>
            chargeCall(options, Math.ceil(max_tokens / TOKENS_PER_REQUEST), call?.signal, async () =>
              searchPacks(source, args, await createContext(max_tokens, call)),
            ),
        }
      },
    ),
    createTool<ReadArguments, ReadData>(
      {
        name: names.read,
        names,
        description: `Read a pack that ${names.search} names, or one section with those below it. Of a pack over max_tokens, returns the outline with section ids and tokens.`,
        texts: {
          pack: 'Name, e.g. tls-certificates or tls-certificates@^1.2',
          section: 'Section id',
          next: 'From an answer that has more',
        },
        maxTokens: DEFAULT_TOKENS.read,
      },
      (given, max_tokens) => {
        const args = { ...readReadArguments(given), max_tokens }
        return {
          args,
          answer: (call) =>
            chargeCall(options, 1, call?.signal, async () =>
              readPack(source, args, await createContext(max_tokens, call)),
            ),
        }
      },
    ),
  ]
}

const PRICE = ` Each ${TOKENS_PER_REQUEST} of max_tokens begun cost a request of the daily quota.`

/** Letters of all titles: at most 40 tokens. */
const MAX_TITLES = 100
/** Of a title, letters and a word that would be cut. */
const LONG_TITLE = /^(?=.{41})(.{1,39}(?= )|.{39}).+$/su

/** Describes documents by titles and domains, which are texts of packs: without signs. */
export function describeDocs(packs: readonly DocsPack[]): string {
  const clean = (text: string): string =>
    text
      .replace(/[^\p{L}\p{M}\p{N}.+#/-]+/gu, ' ')
      .trim()
      .replace(LONG_TITLE, '$1…')
  const domains = [...new Set(packs.map(({ domain }) => domain).filter((domain) => domain !== 'General'))]
  let room = MAX_TITLES
  const shown: string[] = []
  for (const text of [...domains.slice(0, 3), ...packs.map(({ title }) => title)].map(clean)) {
    // Letters of other scripts take more tokens.
    room -= 8 + new TextEncoder().encode(text).length
    if (room < 0) break
    if (text !== '' && !shown.includes(text)) shown.push(text)
  }
  return shown.length === 0 ? '' : `Documents on: ${shown.map((text) => `"${text}"`).join(', ')}`
}

/** What is fixed of a tool. */
interface ToolText {
  readonly name: string
  readonly names: ToolPair
  readonly description: string
  /** Of the arguments that are texts; the first one is required. */
  readonly texts: Readonly<Record<string, string>>
  /** The default of `max_tokens`. */
  readonly maxTokens: number
}

function createTool<Arguments extends object, Data extends object>(
  { name, names, description, texts, maxTokens }: ToolText,
  prepareCall: (given: Readonly<Record<string, unknown>>, maxTokens: number) => PreparedCall<Arguments, Data>,
): AgentTool<Arguments, Data> {
  const fields = Object.entries(texts).map(([field, text]): [string, ToolParameter] => [
    field,
    { type: 'string', description: text },
  ])
  const links = { type: 'boolean', description: 'Write the addresses of links', default: false } as const
  const bounds = { minimum: MIN_TOKENS, maximum: MAX_TOKENS }
  const max_tokens = { type: 'integer', ...bounds, default: maxTokens } as const
  const known = [...fields.map(([field]) => field), 'links', 'max_tokens']
  const prepare = (given: unknown): PreparedCall<Arguments, Data> => {
    const args = Object(typeof given === 'object' ? given : {}) as Readonly<Record<string, unknown>>
    const other = Object.keys(args).find((field) => !known.includes(field))
    if (other !== undefined)
      throw argumentError(`There is no argument ${quote(other)}.`, `Send only ${known.join(', ')}.`)
    return prepareCall(args, readMaxTokens(args, maxTokens))
  }
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { ...Object.fromEntries(fields), links, max_tokens },
      required: [fields[0]![0]],
      additionalProperties: false,
    },
    check(given) {
      try {
        return { args: { ...prepare(given).args } }
      } catch (error) {
        return { failure: requireFailure(error, names) }
      }
    },
    async execute(given, call) {
      try {
        return await prepare(given).answer(call)
      } catch (error) {
        return requireFailure(error, names)
      }
    },
  }
}

/**
 * Describes an error for the model that called a tool.
 * @throws the error if a model can do nothing about it
 */
function requireFailure(cause: unknown, { search, read }: ToolPair): ToolFailure {
  const error = explainError(cause, 'Answer with what you have, and tell the user about this error.')
  if (error === undefined) throw cause
  const { code, message } = error
  const hint = error.hint.replaceAll('search_packs', search).replaceAll('read_pack', read)
  const explained = { code, message, hint }
  return { text: formatError(explained), data: { error: explained }, isError: true, cause }
}

type Arguments = Readonly<Record<string, unknown>>

/** Most characters of the name of a pack or section. */
const MAX_NAME = 500

/** @throws SourceError `invalid_arguments` */
function readQuery(given: Arguments): string {
  const query = readText(given, 'query')
  const fault = findQuestionFault(query)
  if (fault !== undefined) throw argumentError(`query ${fault[0]}.`, fault[1])
  return query!
}

/** @throws SourceError `invalid_arguments`, VersionError `invalid_name` or `invalid_range` */
function readReadArguments(given: Arguments): ReadArguments {
  const name = readText(given, 'pack')
  if (name === undefined) throw argumentError('pack is missing.', 'Name a pack; search_packs finds names.')
  checkLength('pack', name)
  // Passages have ids of both, and joined ones of their first and last section.
  const [pack = '', id] = name.split(/#([^…]+)/)
  parsePackName(pack)
  const section = readText(given, 'section') ?? id
  if (section !== undefined) checkLength('section', section)
  return { pack, section, next: readText(given, 'next'), links: readLinks(given) }
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
  const problem = `${name} must have at most ${MAX_NAME} characters.`
  if (text.length > MAX_NAME) throw argumentError(problem, 'search_packs finds names and ids.')
}

/** @throws SourceError `invalid_arguments` */
function readMaxTokens(given: Arguments, otherwise: number): number {
  const sent = given['max_tokens'] ?? otherwise
  const value = typeof sent === 'string' && /^ *\d{1,9} *$/.test(sent) ? Number(sent) : sent
  const hint = `Omit it for ${otherwise}.`
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw argumentError(`max_tokens must be a whole number, not ${describeType(value)}.`, hint)
  if (value < MIN_TOKENS) throw argumentError(`max_tokens must be at least ${MIN_TOKENS}.`, hint)
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
