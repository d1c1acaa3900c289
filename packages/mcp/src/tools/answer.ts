import type { CallToolResult } from '@modelcontextprotocol/server'
import { describeForModel } from '@packs/client/model-errors'
import type { Tokenizer } from '@packs/codec/tokens'
import { isExplained, SourceError, type PackIdentity } from '../pack-source.ts'

/**
 * An answer in two forms that say the same. Hosts hand a model one of them: most the text, some only the structured content. So each
 * form is complete, and each is within `max_tokens`.
 */
export interface Answer {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Measures answers in o200k_base. */
export interface AnswerLimit {
  readonly maxTokens: number
  fits(answer: Answer): boolean
  /** Tokens of the larger form. */
  count(answer: Answer): number
  readonly countText: (text: string) => number
}

/** What a tool answers a call with. */
export interface CallContext {
  readonly limit: AnswerLimit
  readonly signal: AbortSignal
  /** Counts the call against the quota. */
  readonly charge: () => Promise<void>
  /** Counts a call that is not charged. */
  readonly takeFree?: (() => void) | undefined
}

export function createAnswerLimit(maxTokens: number, tokenizer: Tokenizer): AnswerLimit {
  const count = ({ text, data }: Answer): number =>
    Math.max(tokenizer.countTokens(text), tokenizer.countTokens(JSON.stringify(data)))
  return {
    maxTokens,
    count,
    countText: (text) => tokenizer.countTokens(text),
    fits: (answer) => count(answer) <= maxTokens,
  }
}

/**
 * Returns the answer with the most parts that fits: all of them, or a part of the list found by bisection.
 *
 * @param least the fewest parts that make an answer
 * @throws SourceError `invalid_arguments`, with the tokens that the least answer needs
 */
export function fitParts(
  limit: AnswerLimit,
  { least, total }: { readonly least: number; readonly total: number },
  create: (parts: number) => Answer,
): Answer {
  const all = create(total)
  if (limit.fits(all)) return all
  const first = create(least)
  if (!limit.fits(first)) throw limitError(limit, limit.count(first))
  let best = first
  for (let low = least, high = total; high - low > 1;) {
    const middle = (low + high) >> 1
    const answer = create(middle)
    if (limit.fits(answer)) [low, best] = [middle, answer]
    else high = middle
  }
  return best
}

/** Creates the error for an answer that needs more than `max_tokens`. */
export function limitError({ maxTokens }: AnswerLimit, needed: number): SourceError {
  const message = `The shortest answer needs more than max_tokens ${maxTokens}.`
  return new SourceError('invalid_arguments', message, `Send max_tokens of at least ${needed}.`)
}

/** The fields that name a version in structured content. */
export function describeIdentity({ slug, version, digest, signer }: PackIdentity): Record<string, unknown> {
  const identity = { pack: slug, version, ...(digest !== undefined && { pack_digest: digest }) }
  return signer === undefined ? identity : { ...identity, signer }
}

export function toResult({ text, data }: Answer): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...data } }
}

/** What an error says. */
interface Explanation {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Explains an error to a model. Those of clients and of names have hints for developers, where a model needs its own. */
export function explainError(error: unknown): Explanation {
  if (error instanceof SourceError) return error
  const described = isExplained(error) ? describeForModel(error, error.hint) : undefined
  const message = 'The call failed for a reason that the server has logged.'
  return described ?? new SourceError('internal_error', message, 'Try again later.')
}

/** Writes an error for a model: what is wrong, and what to do. */
export function formatError({ code, message, hint }: Explanation): string {
  return `${message.replace(/\.?$/, '.')} ${hint} (${code})`
}

/** Creates the result of a call that failed. @param maxTokens the text is cut after these */
export function toErrorResult(error: Explanation, maxTokens: number, tokenizer: Tokenizer): CallToolResult {
  const text = formatError(error)
  return { content: [{ type: 'text', text: cutText(text, maxTokens, tokenizer) }], isError: true }
}

/** Returns the beginning of a text that has at most `maxTokens`. */
function cutText(text: string, maxTokens: number, tokenizer: Tokenizer): string {
  let cut = text.slice(0, 8 * maxTokens)
  while (tokenizer.countTokens(cut) > maxTokens) cut = cut.slice(0, Math.floor(cut.length * 0.9))
  return cut.toWellFormed()
}

/** Puts a text on one line. */
export function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
