import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { createCatalogThread, type Catalog } from '@packs/catalog'
import { ApiError } from '../errors/api-error.ts'
import { promptWork, type PromptResult, type PromptTask } from './compose-documents.ts'

/** Time limit for composing a prompt. */
const MAX_SECONDS = 30
/**
 * Compositions that wait or run: of all accounts, of one account alone, and of one account while
 * others have some too.
 */
export const MAX_SLOTS = 64
export const MAX_PER_ACCOUNT = 16
export const MAX_SHARED_SLOTS = 2

/** Composes prompts in a separate thread, one at a time, for accounts in turn. */
export interface PromptThread {
  /**
   * Takes a slot in the queue for the prompt with this name, or joins the clients already waiting
   * for it. The slot is freed once the prompt is composed or all of its clients have left.
   *
   * @param account id of the account that requests it
   * @throws ApiError `service_unavailable` if no slot is free, or the account has
   *   {@link MAX_PER_ACCOUNT} of them, or {@link MAX_SHARED_SLOTS} while others have some
   */
  join(name: string, account: string, response: ServerResponse): PromptSlot
  close(): Promise<void>
}

export interface PromptSlot {
  /** Aborts the composition once all clients have left, with {@link clientsLeftError}. */
  readonly signal: AbortSignal
  /**
   * Composes the prompt.
   *
   * @throws ApiError `prompt_too_large` after 30 seconds
   */
  compose(task: PromptTask): Promise<PromptResult>
}

/** Why a composition that nobody waits for was aborted. No client sees this error. */
export const clientsLeftError: ApiError = new ApiError(
  'service_unavailable',
  'All clients that waited for this prompt have left',
)

interface Audience {
  readonly controller: AbortController
  clients: number
  /** Account whose slot the prompt takes; `undefined` once it is composed and needs none. */
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
    if (owners.length >= MAX_SLOTS) throw busyError('Too many prompts are being composed now')
    const own = owners.filter((owner) => owner === account).length
    const most = own < owners.length ? MAX_SHARED_SLOTS : MAX_PER_ACCOUNT
    if (own >= most)
      throw busyError(`At most ${most} prompts of one account can be in progress at the moment`)
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
          // The prompt has been charged, so it is composed even if its slot has been freed since.
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
