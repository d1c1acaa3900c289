import {
  CatalogError,
  type IndexContext,
  type PackSearch,
  type RateLimiter,
  type SectionReader,
} from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import type { PagePrompt } from '../../prompts/compose-page-prompt.ts'
import { WebError } from '../../web-error.ts'
import { decideAccess, type Access } from '../pack/decide-access.ts'
import type { PackDependencies } from '../pack/open-pack.ts'
import type { Viewer } from '../page.ts'
import type { Parts } from './find-parts.ts'
import type { PromptQuery } from './parse-prompt-query.ts'

export interface PromptDependencies extends PackDependencies {
  readonly search: PackSearch
  /** Limits searches that are not charged. */
  readonly freeSearches: RateLimiter
  readonly sections: SectionReader
}

/** What a visitor gets for a query. */
export interface PromptView {
  readonly query: PromptQuery
  readonly parts: Parts
  readonly viewer: Viewer
  readonly access: Access
  readonly now: Date
  /** The prompt, unless there is nothing to compose or it failed. */
  readonly prompt: PagePrompt | undefined
  /** The passages, if the query has a question. */
  readonly context: IndexContext | undefined
  /** Why there is no prompt, in sentences. */
  readonly failure: { readonly message: string; readonly hint: string; readonly status: number } | undefined
}

/** Milliseconds that passages are kept, so that copying and downloading them costs nothing. */
const CONTEXT_MS = 10 * 60_000
type Answer = Pick<PromptView, 'access' | 'context' | 'failure'>
/** Answers to questions, also those on their way, so that an account is charged once for each. */
export type ContextCache = LRUCache<string, Promise<Answer>>

export function createContextCache(): ContextCache {
  return new LRUCache({ max: 500, ttl: CONTEXT_MS })
}

/** Finds the passages for a question; charged as the API charges for a context. */
export async function answerQuestion(
  dependencies: PromptDependencies,
  contexts: ContextCache,
  opened: Pick<PromptView, 'query' | 'parts' | 'viewer' | 'now'>,
  owner: string,
): Promise<Answer> {
  const { ports } = dependencies
  const { query, parts, viewer, now } = opened
  const { q, budget, tokenizer } = query
  // Without one of the packs that it names, it is not asked of all of them.
  if (q === '' || (parts.found.length === 0 && parts.unknown.length > 0))
    return {
      access: await decideAccess(viewer, async (account) => ({
        ...(await ports.quota.peek(account, now)),
        allowed: true,
      })),
      context: undefined,
      failure: undefined,
    }
  const packs = [...new Set(parts.found.map(({ version }) => version.slug))].slice(0, 20)
  const sequence = await ports.catalog.sequence()
  const { mode, account } = viewer
  const key = JSON.stringify([owner, account?.tier, mode.mode, sequence, q, budget, tokenizer, packs])
  const known = contexts.get(key)
  if (known !== undefined) {
    const { access, ...answer } = await known
    if (access.reason !== 'pro' || account === undefined) return { ...answer, access }
    return { ...answer, access: { ...access, state: await ports.quota.peek(account, now) } }
  }
  const answer = findContext(dependencies, opened, owner, packs)
  contexts.set(key, answer)
  let isKept = false
  try {
    isKept = (await answer).failure === undefined
    return await answer
  } finally {
    if (!isKept) contexts.delete(key)
  }
}

async function findContext(
  { ports, search, freeSearches }: PromptDependencies,
  { query, viewer, now }: Pick<PromptView, 'query' | 'viewer' | 'now'>,
  owner: string,
  packs: readonly string[],
): Promise<Answer> {
  const { q: text = '', budget = 0, tokenizer: name } = query
  const access = await decideAccess(viewer, (payer) => ports.quota.take(payer, now, Math.ceil(budget / 4000)))
  const wait = access.reason === 'pro' ? 0 : freeSearches.take(owner, now)
  if (wait > 0) return { access, context: undefined, failure: tooOften(wait) }
  try {
    const context = await search.context(
      {
        text,
        budget,
        tokenizer: name || 'o200k_base',
        scope: access.scope,
        packs: packs.length > 0 ? packs : undefined,
      },
      owner,
    )
    return { access, context, failure: undefined }
  } catch (error) {
    return { access, context: undefined, failure: describeFailure(error) }
  }
}

export function tooOften(seconds: number): NonNullable<PromptView['failure']> {
  return { message: 'You searched too often within a minute', hint: `Wait ${seconds} seconds.`, status: 429 }
}

/** @throws errors that are no matter of load, such as damage */
export function describeFailure(error: unknown): NonNullable<PromptView['failure']> {
  if (error instanceof RangeError)
    return { message: 'This question cannot be read', hint: 'Try fewer words.', status: 400 }
  const isBusy =
    error instanceof CatalogError && (error.code === 'catalog_busy' || error.code === 'search_busy')
  const isRefused = error instanceof WebError && (error.status === 503 || error.status === 429)
  if (isBusy || isRefused) {
    const { message, hint } = error
    return { message, hint: hint ?? '', status: isRefused ? error.status : 503 }
  }
  throw error
}
