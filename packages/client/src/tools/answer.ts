import type { Tokenizer } from '@packs/codec/compress'
import { SourceError, type PackIdentity } from './pack-source.ts'

/** In two equivalent forms: most hosts give a model the text, some only the content. */
export interface Answer<Data extends object = object> {
  readonly text: string
  readonly data: Data
  /** Whether the text is an outline, because what was asked for has more than `max_tokens`. */
  readonly isOutline?: boolean
}

/** Measures answers in o200k_base. */
export interface AnswerLimit {
  readonly maxTokens: number
  /** Whether the structured content is limited too, which has the text as a JSON string. */
  readonly isQuoted: boolean
  fits(answer: Answer): boolean
  /** Tokens of the larger form. */
  count(answer: Answer): number
  readonly countText: (text: string) => number
}

/** What a tool needs to answer a call. */
export interface CallContext {
  readonly limit: AnswerLimit
  readonly signal: AbortSignal
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

/** @param forms whether a model may get the structured content, so that both are limited */
export function createAnswerLimit(
  maxTokens: number,
  tokenizer: Tokenizer,
  forms: 'text' | 'both',
): AnswerLimit {
  const countText = (text: string): number => tokenizer.countTokens(text)
  const count = ({ text, data }: Answer): number =>
    Math.max(countText(text), forms === 'both' ? countText(JSON.stringify(data)) : 0)
  return {
    maxTokens,
    isQuoted: forms === 'both',
    count,
    countText,
    fits: (answer) => count(answer) <= maxTokens,
  }
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
  const all = create(total)
  if (limit.fits(all)) return all
  const first = create(least)
  if (!limit.fits(first)) {
    const message = `The shortest answer needs more than max_tokens ${limit.maxTokens}.`
    throw new SourceError('invalid_arguments', message, `Send max_tokens of at least ${limit.count(first)}.`)
  }
  let best = first
  for (let low = least, high = total; high - low > 1;) {
    const middle = (low + high) >> 1
    const answer = create(middle)
    if (limit.fits(answer)) [low, best] = [middle, answer]
    else high = middle
  }
  return best
}

/** The fields that name a version in structured content. */
export interface IdentityData {
  readonly pack: string
  readonly version: string
  readonly pack_digest?: string
  readonly signer?: string
}

export function describeIdentity({ slug, version, digest, signer }: PackIdentity): IdentityData {
  return {
    pack: slug,
    version,
    ...(digest !== undefined && { pack_digest: digest }),
    ...(signer !== undefined && { signer }),
  }
}

export function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Bounds of `max_tokens`. Every error fits into the lower one. */
export const MIN_TOKENS = 100
export const MAX_TOKENS = 200_000

/** For a model, and the default of `max_tokens`. */
export const TOOL_TEXTS = {
  search_packs: {
    description:
      'Find documentation passages that answer a question. Returns their text within max_tokens, then names of further sections for read_pack.',
    query: 'Question or keywords; "quotes" demand a phrase',
    maxTokens: 2000,
  },
  read_pack: {
    description:
      'Read a pack, or one section with those below it. If it exceeds max_tokens, returns the outline with section ids and tokens instead.',
    pack: 'Name, e.g. tls-certificates or tls-certificates@^1.2',
    section: 'Section id',
    maxTokens: 8000,
  },
} as const
