import { parsePackName } from '@packs/codec/verify'
import { MAX_TOKENS, MIN_TOKENS, TOOL_TEXTS } from './answer.ts'
import { SourceError } from './pack-source.ts'
import type { ReadArguments } from './read-pack.ts'

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
export function readReadArguments(given: Arguments): ReadArguments {
  const pack = readText(given, 'pack')
  if (pack === undefined) throw argumentError('pack is missing.', 'Name a pack; search_packs finds names.')
  checkLength('pack', pack)
  parsePackName(pack)
  const section = readText(given, 'section')
  if (section !== undefined) checkLength('section', section)
  return { pack, section }
}

/**
 * Returns an argument without white space around it; `undefined` for none: models send `null` or an
 * empty text for that too.
 */
function readText(given: Arguments, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string')
    throw argumentError(`${name} must be a string, not ${describeType(value)}.`, 'Send it as text.')
  const text = value.length > 100_000 ? value : value.toWellFormed().trim()
  return text === '' ? undefined : text
}

function checkLength(name: string, text: string): void {
  if (text.length > MAX_NAME)
    throw argumentError(
      `${name} must have at most ${MAX_NAME} characters.`,
      'search_packs finds names and ids.',
    )
}

/** @throws SourceError `invalid_arguments` */
export function readMaxTokens(given: Arguments, tool: keyof typeof TOOL_TEXTS): number {
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
