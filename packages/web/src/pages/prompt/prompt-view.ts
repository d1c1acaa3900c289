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
/** Answers a question once for an account, which is charged for it. */
export type ContextCache = LRUCache<string, { readonly access: Access; readonly context: IndexContext }>

export function createContextCache(): ContextCache {
  return new LRUCache({ max: 500, ttl: CONTEXT_MS })
}

/** Finds the passages for a question; charged as the API charges for a context. */
export async function answerQuestion(
  { ports, search, freeSearches }: PromptDependencies,
  contexts: ContextCache,
  { query, parts, viewer, now }: Pick<PromptView, 'query' | 'parts' | 'viewer' | 'now'>,
  owner: string,
): Promise<Pick<PromptView, 'access' | 'context' | 'failure'>> {
  const { q = '', budget = 0, tokenizer } = query
  if (q === '')
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
  if (known !== undefined) return { ...known, failure: undefined }
  const access = await decideAccess(viewer, (payer) => ports.quota.take(payer, now, Math.ceil(budget / 4000)))
  const wait = access.reason === 'pro' ? 0 : freeSearches.take(owner, now)
  if (wait > 0) return { access, context: undefined, failure: tooOften(wait) }
  try {
    const context = await search.context(
      {
        text: q,
        budget,
        tokenizer: tokenizer || 'o200k_base',
        scope: access.scope,
        packs: packs.length > 0 ? packs : undefined,
      },
      owner,
    )
    contexts.set(key, { access, context })
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
