import { checkOptions, ClientError, optionError, rethrow } from './client-error.ts'
import {
  type DocsSource,
  findQuestionFault,
  identify,
  type OpenedPack,
  SourceError,
  type TokenizerLoader,
} from './docs/source.ts'
import type {
  Context,
  ContextOptions,
  DocsPack,
  Outline,
  Prompt,
  PromptOptions,
  ReadOptions,
  ReadText,
  SearchOptions,
  SearchResult,
} from './docs/types.ts'
import type { AgentTools, ToolNames } from './tools/create-tools.ts'
import type { CallOptions } from './types.ts'

/**
 * Documents to ask, wherever they are: a folder, files, a lock or a catalog. Each method rejects
 * with an error that has a `code` and a `hint`, or with the reason of the signal.
 */
export interface Docs {
  /**
   * Returns the passages that answer a question within a budget of tokens, as plain text that never
   * has terms. Without a question, returns the packs of the options whole.
   * @example
   * const { text, match } = await docs.context('rotate a certificate', { budget: 2000 })
   */
  context(question?: string, options?: ContextOptions): Promise<Context>
  /** Finds the sections that match, best first, with the text around the match. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>
  /**
   * Reads a pack, or a section with those below it.
   * @param pack slug, slug@range or id
   * @param section its id
   */
  read(pack: string, section?: string, options?: ReadOptions): Promise<ReadText>
  /** Lists the sections of a pack. */
  outline(pack: string, options?: CallOptions): Promise<Outline>
  /** Lists the packs, in the order of their names: at most `limit`, 1000 unless it is given. */
  list(options?: CallOptions & { readonly limit?: number | undefined }): Promise<readonly DocsPack[]>
  /** Composes one prompt of whole packs, in this order, in this process. */
  prompt(packs: readonly string[], options?: PromptOptions): Promise<Prompt>
  /** Creates two tools for a model: one finds passages, the other reads packs and sections. */
  tools(options?: ToolNames): Promise<AgentTools>
  /** Frees what the documents hold. Later calls are rejected. */
  close(): Promise<void>
}

/** Bounds of a budget, and what it is if none is given. */
const MAX_BUDGET = 200_000
const DEFAULT_BUDGET = 2000

/** The options of each method. */
const OPTIONS = {
  context: ['packs', 'budget', 'links', 'fill', 'signal'],
  search: ['limit', 'domain', 'difficulty', 'signal'],
  read: ['budget', 'next', 'links', 'signal'],
  outline: ['signal'],
  list: ['limit', 'signal'],
  prompt: ['budget', 'fit', 'links', 'scheme', 'tokenizer', 'signal'],
  tools: ['name', 'about'],
} as const

/** Creates what people use over a source. */
export function createDocs(source: DocsSource, loadTokenizer: TokenizerLoader): Docs {
  let isClosed = false

  /** Checks options, and makes errors those of this package. */
  const call = async <Options extends { readonly signal?: AbortSignal | undefined }, Result>(
    method: keyof typeof OPTIONS,
    options: Options,
    work: (options: Options, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    if (isClosed)
      throw new ClientError('invalid_option', 'These documents are closed', 'Call openDocs again.')
    checkOptions(method, options, OPTIONS[method])
    checkValues(options)
    const { signal = new AbortController().signal } = options
    signal.throwIfAborted()
    const result = await work(options, signal).catch(explainFailure)
    signal.throwIfAborted()
    return result
  }
  const readAll = (names: readonly string[], signal: AbortSignal): Promise<OpenedPack[]> => {
    checkNames(names)
    return Promise.all(names.map((name) => source.open(name, signal)))
  }

  return {
    context: (question, options = {}) =>
      call('context', options, async ({ packs, links = 'number', fill, budget }, signal) => {
        if (question === undefined) {
          const most = readCount('budget', budget, MAX_BUDGET, MAX_BUDGET)
          const { composeWhole } = await import('./docs/read-text.ts')
          const opened = await readAll(packs ?? [], signal)
          const tokenizer = await loadTokenizer('o200k_base')
          return composeWhole(opened, { links, budget: most, signal }, tokenizer)
        }
        checkText('question', question)
        const most = readCount('budget', budget, DEFAULT_BUDGET, MAX_BUDGET)
        if (packs?.some((name) => name.includes('@'))) throw optionError('packs', 'names without versions')
        return source.context(question, { budget: most, links, packs, fill, signal })
      }),
    search: (query, options = {}) =>
      call('search', options, async ({ limit, ...filters }, signal) => {
        checkText('query', query)
        return source.search(query, { ...filters, limit: readCount('limit', limit, 10, 1000), signal })
      }),
    read: (name, section, options = {}) =>
      call('read', options, async ({ budget, next, links = 'number' }, signal) => {
        const { readText } = await import('./docs/read-text.ts')
        const most = readCount('budget', budget, Infinity, MAX_BUDGET)
        const asked = { section: section ?? undefined, next, links, budget: most, signal }
        return readText(source, name, asked, await loadTokenizer('o200k_base'))
      }),
    outline: (name, options = {}) =>
      call('outline', options, async (_, signal) => {
        const pack = await source.open(name, signal)
        const { tokens, locked } = pack
        return { ...identify(pack), tokens, locked, ...(await pack.outline(signal)) }
      }),
    list: (options = {}) =>
      call('list', options, ({ limit }, signal) =>
        source.list(readCount('limit', limit, 1000, 1_000_000), signal),
      ),
    prompt: (names, options = {}) =>
      call('prompt', options, async ({ budget, fit, links, scheme, tokenizer }, signal) => {
        const packs = await readAll(names, signal)
        const { composePacks } = await import('./docs/read-text.ts')
        return composePacks(packs, { budget, fit, links, scheme, tokenizer })
      }),
    tools: (options = {}) =>
      call('tools', options as typeof options & { signal?: never }, async (names, signal) => {
        const { createTools, describeDocs } = await import('./tools/create-tools.ts')
        // A catalog that does not answer now may do so later.
        const packs = names.about === undefined ? await source.list(20, signal).catch(() => []) : []
        return createTools(source, { ...names, about: names.about ?? describeDocs(packs), loadTokenizer })
      }),
    close: async () => {
      isClosed = true
    },
  }
}

/** Advice for a model names tools. */
function explainFailure(error: unknown): never {
  if (!(error instanceof SourceError)) rethrow(error)
  const hint = error.hint.replaceAll('search_packs', 'search').replaceAll('read_pack', 'read')
  throw new ClientError(error.code, error.message, hint, { cause: error })
}

function checkNames(names: readonly string[]): void {
  const isList: boolean = Array.isArray(names) && names.every((name) => typeof name === 'string')
  if (!isList || names.length === 0) throw optionError('packs', 'a list of one or more names')
}

/** The type and text of the value of an option, and what it is, whatever the method. */
const RULES: Readonly<Record<string, readonly [RegExp, string]>> = {
  signal: [/^o.*AbortSignal\]$/, 'an AbortSignal'],
  links: [/^string (?:number|inline|drop)$/, 'number, inline or drop'],
  fill: [/^boolean /, 'true or false'],
  domain: [/^string [a-z\d]+(?:-[a-z\d]+)*$/, 'the slug of a domain'],
  difficulty: [
    /^string (?:beginner|intermediate|advanced|expert)$/,
    'beginner, intermediate, advanced or expert',
  ],
}

function checkValues(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (name === 'packs') checkNames(value as string[])
    const [pattern, rule] = RULES[name] ?? []
    if (pattern?.test(`${typeof value} ${String(value)}`) === false) throw optionError(name, rule!)
  }
}

function checkText(name: string, value: unknown): void {
  const fault = findQuestionFault(value)
  if (fault !== undefined) throw new ClientError('invalid_option', `The option ${name} ${fault[0]}`, fault[1])
}

/** Numbers may be texts, as from a command line or a model. */
function readCount(name: string, value: unknown, otherwise: number, most: number): number {
  if (value === undefined || value === null) return otherwise
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 && number <= most)
    return number
  throw optionError(name, `a whole number from 1 to ${most.toLocaleString('en-US')}`)
}
