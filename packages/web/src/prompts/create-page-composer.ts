import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { type Catalog, createCatalogThread, createRateLimiter } from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import { WebError } from '../web-error.ts'
import { promptWork, type PromptResult, type PromptTask } from './compose-page-prompt.ts'

const MAX_SECONDS = 30
const MAX_CACHED_BYTES = 64 * 1024 * 1024
/** Prompts that may wait, of all owners and of one. */
const MAX_WAITING = 64
const MAX_PER_OWNER = 8
/** Prompts that one network of visitors, or one account that is not charged, composes. */
const FREE_A_MINUTE = 60

/** Who waits for a prompt. */
export interface PromptReader {
  /** Account or network: owners take turns. */
  readonly owner: string
  readonly response: ServerResponse
  readonly now: Date
  /** Whether the versions were charged, so that the prompt is not limited otherwise. */
  readonly isCharged: boolean
}

/** Composes the prompts of the pages in a thread of its own, one at a time, for owners in turn. */
export interface PageComposer {
  /**
   * Returns the prompt, which may be a cached one. Once all who wait for it have left, it is no
   * longer composed.
   *
   * @throws WebError `too_many_pages`; `service_unavailable` after 30 seconds
   * @throws CatalogError `catalog_busy`, `catalog_damaged` or `catalog_unavailable`
   */
  compose(task: PromptTask, reader: PromptReader): Promise<PromptResult>
  close(): Promise<void>
}

interface Composition {
  readonly result: Promise<PromptResult>
  readonly controller: AbortController
  clients: number
}

export function createPageComposer(catalog: Catalog): PageComposer {
  const thread = createCatalogThread(catalog, { timeout: MAX_SECONDS * 1000, timeoutError: tooSlowError })
  const queue = thread.createQueue(MAX_WAITING, { maxPerOwner: MAX_PER_OWNER })
  const limiter = createRateLimiter({ limit: FREE_A_MINUTE, windowMs: 60_000 })
  const cached = new LRUCache<string, PromptResult>({
    maxSize: MAX_CACHED_BYTES,
    maxEntrySize: MAX_CACHED_BYTES / 4,
    sizeCalculation: (result) =>
      'prompt' in result ? 2 * (result.prompt.text.length + result.prompt.rosetta.length) + 2000 : 1000,
  })
  const running = new Map<string, Composition>()

  const begin = (key: string, task: PromptTask, owner: string): Composition => {
    const controller = new AbortController()
    const result = queue
      .run(promptWork, task, { owner, signal: controller.signal })
      .then((found) => {
        cached.set(key, found)
        return found
      })
      .finally(() => running.get(key)?.controller === controller && running.delete(key))
    const composition = { result, controller, clients: 0 }
    running.set(key, composition)
    return composition
  }

  return {
    async compose(task, { owner, response, now, isCharged }) {
      const key = JSON.stringify(task)
      const known = cached.get(key)
      if (known !== undefined) return known
      const wait = isCharged ? 0 : limiter.take(owner, now)
      if (wait > 0) throw tooManyPromptsError(wait)
      const composition = running.get(key) ?? begin(key, task, owner)
      countClient(composition, response, () => {
        running.delete(key)
        composition.controller.abort(new Error('All who waited for this prompt have left'))
      })
      return composition.result
    },
    close: () => thread.close(),
  }
}

function countClient(composition: Composition, response: ServerResponse, onLast: () => void): void {
  composition.clients += 1
  finished(response, () => {
    composition.clients -= 1
    if (composition.clients === 0 && !response.writableFinished) onLast()
  })
}

function tooSlowError(): WebError {
  const message = `Composing this prompt took longer than ${MAX_SECONDS} seconds`
  return new WebError(
    'service_unavailable',
    message,
    'Choose fewer or smaller packs, or the scheme “As the packs were built”.',
  )
}

function tooManyPromptsError(retryAfter: number): WebError {
  const hint = `Wait ${retryAfter} seconds. Programs should use the API.`
  return new WebError('too_many_pages', 'You composed too many prompts within a minute', hint, { retryAfter })
}
