import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { createCatalogThread, type Catalog } from '@packs/catalog'
import { ApiError } from '../errors/api-error.ts'
import { promptWork, type PromptResult, type PromptTask } from './compose-documents.ts'

/** Longest composition of a prompt. */
const MAX_SECONDS = 30
/**
 * Compositions that wait or run: of all accounts, of one that is alone, and of one while others
 * wait too.
 */
export const MAX_PLACES = 64
export const MAX_PER_ACCOUNT = 16
export const MAX_SHARED_PLACES = 2

/** Composes prompts in a thread of its own: one at a time, for accounts in turn. */
export interface PromptThread {
  /**
   * Takes a place in the queue for the prompt with a name, or joins the clients that wait for it
   * already. The place is free again when the prompt is composed, or when all of its clients have
   * left.
   *
   * @param account id of the account that requests it
   * @throws ApiError `service_unavailable` if there is no place, or the account has
   *   {@link MAX_PER_ACCOUNT}, while others wait {@link MAX_SHARED_PLACES}
   */
  join(name: string, account: string, response: ServerResponse): PromptSlot
  close(): Promise<void>
}

export interface PromptSlot {
  /** Ends the composition once all clients have left; its reason is {@link clientsLeftError}. */
  readonly signal: AbortSignal
  /**
   * Composes the prompt.
   *
   * @throws ApiError `prompt_too_large` after 30 seconds
   */
  compose(task: PromptTask): Promise<PromptResult>
}

/** The reason of a composition that was ended because nobody waits for it. No client sees it. */
export const clientsLeftError: ApiError = new ApiError(
  'service_unavailable',
  'All clients that waited for this prompt have left',
)

interface Audience {
  readonly controller: AbortController
  clients: number
  /** Account whose place the prompt has; `undefined` if it needs none, because it is composed. */
  owner: string | undefined
}

export function createPromptThread(catalog: Catalog): PromptThread {
  const thread = createCatalogThread(catalog, {
    timeout: MAX_SECONDS * 1000,
    timeoutError: () =>
      new ApiError('prompt_too_large', `Composing this prompt took longer than ${MAX_SECONDS} seconds`),
  })
  const queue = thread.createQueue()
  const audiences = new Map<string, Audience>()

  const checkSlots = (account: string): void => {
    const owners = [...audiences.values()].map(({ owner }) => owner).filter((owner) => owner !== undefined)
    if (owners.length >= MAX_PLACES) throw busyError('Too many prompts are composed at the same time')
    const own = owners.filter((owner) => owner === account).length
    const most = own < owners.length ? MAX_SHARED_PLACES : MAX_PER_ACCOUNT
    if (own >= most)
      throw busyError(`At most ${most} prompts of an account are composed at the same time now`)
  }

  return {
    join(name, account, response) {
      const empty = { controller: new AbortController(), clients: 0, owner: undefined }
      const audience = audiences.get(name) ?? empty
      if (audience.owner === undefined) checkSlots(account)
      audience.owner ??= account
      audience.clients += 1
      audiences.set(name, audience)
      finished(response, () => {
        audience.clients -= 1
        if (audience.clients > 0) return
        audiences.delete(name)
        audience.controller.abort(clientsLeftError)
      })
      const { signal } = audience.controller
      return {
        signal,
        async compose(task) {
          // The prompt has been charged, so it is composed even if its place has been freed since.
          audience.owner ??= account
          return queue
            .run(promptWork, task, { owner: audience.owner, isBegun: true, signal })
            .finally(() => (audience.owner = undefined))
        },
      }
    },

    close: () => thread.close(),
  }
}

function busyError(message: string): ApiError {
  return new ApiError('service_unavailable', message, { headers: { 'retry-after': '5' } })
}
