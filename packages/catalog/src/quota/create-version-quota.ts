import type { Account } from '../types.ts'
import type { Quota, QuotaState } from './create-quota.ts'

/** Charges an account for the versions that it reads, each once a UTC day. */
export interface VersionQuota {
  /**
   * Charges a request for each of the versions that the account has not paid for today, all of them
   * or none. `allowed` tells whether the account may read them.
   *
   * @param sequences sequence numbers of the versions
   */
  take(account: Account, now: Date, sequences: readonly number[]): Promise<QuotaState>
}

/**
 * Creates the quota of the pages, where one version costs one request a day however often it is
 * read.
 *
 * What an account has paid for is counted where its requests are: a version is a quota of its own
 * with one request a day. It is marked after the charge, so that nobody reads what was not paid; of
 * one account, this process makes one charge at a time. Two processes that charge a version in the
 * same instant may both do so.
 *
 * @example
 * const versionQuota = createVersionQuota(quota)
 * const { allowed, remaining } = await versionQuota.take(account, new Date(), [version.sequence])
 */
export function createVersionQuota(quota: Quota): VersionQuota {
  const running = new Map<string, Promise<unknown>>()

  const charge = async (account: Account, now: Date, sequences: readonly number[]): Promise<QuotaState> => {
    const marks = [...new Set(sequences)].map((sequence) => createMark(account, sequence))
    const states = await Promise.all(marks.map((mark) => quota.peek(mark, now)))
    const unpaid = marks.filter((_, at) => states[at]!.allowed)
    if (unpaid.length === 0) return { ...(await quota.peek(account, now)), allowed: true }
    const state = await quota.take(account, now, unpaid.length)
    if (state.allowed) await Promise.all(unpaid.map((mark) => quota.take(mark, now)))
    return state
  }

  return {
    async take(account, now, sequences) {
      const before = running.get(account.id) ?? Promise.resolve()
      const result = before.then(() => charge(account, now, sequences))
      const ended = result.then(
        () => undefined,
        () => undefined,
      )
      running.set(account.id, ended)
      void ended.then(() => running.get(account.id) === ended && running.delete(account.id))
      return result
    },
  }
}

/** Ids of accounts contain no space. */
function createMark(account: Account, sequence: number): Account {
  return { ...account, id: `${account.id} version ${sequence}`, daily: 1 }
}
