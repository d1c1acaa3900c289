import { errorAdvice } from '../error-advice.ts'
import { SourceError } from '../docs/source.ts'

/** What a tool says to a model, and for a program what that is from. */
export interface Answer<Data extends object = object> {
  readonly text: string
  readonly data: Data
}

/** Measures answers in o200k_base. */
export interface AnswerLimit {
  readonly maxTokens: number
  readonly count: (text: string) => number
}

/** The names of the tools. */
export interface ToolPair {
  readonly search: string
  readonly read: string
}

/** What a tool needs to answer a call. */
export interface CallContext {
  readonly limit: AnswerLimit
  readonly signal: AbortSignal
  readonly names: ToolPair
}

/** Counts calls against a quota. What any of these throws is the answer. */
export interface CallQuota {
  /** Called before a call is answered, to refuse it at once. */
  readonly check?: ((requests: number) => Promise<void>) | undefined
  /** Called with what the call costs once it is answered, or what it names was not found. */
  readonly charge?: ((requests: number) => Promise<void>) | undefined
  /** Called instead for a section that needs another tier, and if `max_tokens` is too small. */
  readonly takeFree?: (() => void) | undefined
}

/** Of `max_tokens` of a search that cost one request, as in the API. */
export const TOKENS_PER_REQUEST = 4000

/** Answers a call and then charges it, so that a call that fails or is aborted costs nothing. */
export async function chargeCall<T>(
  { check, charge, takeFree }: CallQuota,
  requests: number,
  signal: AbortSignal | undefined,
  answer: () => Promise<T>,
): Promise<T> {
  await check?.(requests)
  const answered = await answer().catch(async (error: unknown) => {
    const { code } = error as { readonly code?: unknown }
    if (code === 'tier_required' || code === 'invalid_arguments') takeFree?.()
    if (/^(?:pack_not_found|no_matching_version|section_not_found)$/.test(String(code)))
      await charge?.(requests)
    throw error
  })
  signal?.throwIfAborted()
  await charge?.(requests)
  return answered
}

/**
 * Returns the answer with the most parts that fits: all of them, or a part of the list found by
 * bisection.
 * @param least the fewest parts that make an answer
 * @throws SourceError `invalid_arguments`, with the tokens that the least answer needs
 */
export function fitParts<Data extends object>(
  limit: AnswerLimit,
  { least, total }: { readonly least: number; readonly total: number },
  create: (parts: number) => Answer<Data>,
): Answer<Data> {
  const fits = ({ text }: Answer): boolean => limit.count(text) <= limit.maxTokens
  const all = create(total)
  if (fits(all)) return all
  const first = create(least)
  if (!fits(first)) {
    const message = `The shortest answer needs more than max_tokens ${limit.maxTokens}.`
    const needed = limit.count(first.text)
    throw new SourceError('invalid_arguments', message, `Send max_tokens of at least ${needed}.`)
  }
  let best = first
  for (let low = least, high = total; high - low > 1;) {
    const middle = (low + high) >> 1
    const answer = create(middle)
    if (fits(answer)) [low, best] = [middle, answer]
    else high = middle
  }
  return best
}

export function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Bounds of `max_tokens`. Every error fits into the lower one. */
export const MIN_TOKENS = 100
export const MAX_TOKENS = 200_000

export interface Explanation {
  readonly code: string
  readonly message: string
  /** What to do. */
  readonly hint: string
}

const MAX_MESSAGE = 200

/**
 * Explains an error to a model that has called a tool; undefined for errors of others.
 * @param otherwise hint where the model can do nothing; that of the error if absent
 */
export function explainError(error: unknown, otherwise?: string): Explanation | undefined {
  if (error instanceof SourceError) return error
  if (!isExplained(error)) return undefined
  const { code, message, hint } = error
  const cut = message.slice(0, MAX_MESSAGE).replace(/\s+/gu, ' ').toWellFormed()
  // Hints of errors are for developers: they name options and methods.
  const advice = Object.hasOwn(errorAdvice, code) ? errorAdvice[code]!.model : undefined
  return { code, message: cut, hint: advice ?? otherwise ?? hint }
}

/** Errors of sources, clients and names have a code, and a hint for the caller. */
function isExplained(error: unknown): error is Error & Explanation {
  return (
    error instanceof Error &&
    'hint' in error &&
    typeof error.hint === 'string' &&
    'code' in error &&
    typeof error.code === 'string'
  )
}

/** Writes an error for a model: what is wrong, and what to do. */
export function formatError({ code, message, hint }: Explanation): string {
  return `${message.replace(/\.?$/, '.')} ${hint} (${code})`
}
