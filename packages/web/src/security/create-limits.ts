import { createSharedDelay, createSharedRateLimiter } from '@packs/catalog'
import type { LentDatabase, SharedDelay, SharedRateLimit, SharedRateLimiter } from '@packs/catalog'

/** Limits that all processes share, by network unless a comment says otherwise. */
export interface Limits {
  /** Wrong passwords, by account or by device that has signed in to it before. */
  readonly passwords: SharedDelay
  readonly passwordsOfNetwork: SharedRateLimiter
  /** Right passwords that are not counted with the wrong ones. */
  readonly rightPasswordsOfNetwork: SharedRateLimiter
  readonly codes: SharedRateLimiter
  readonly signUps: SharedRateLimiter
  /** Mails sent, by kind and email. */
  readonly mailsOfAddress: SharedRateLimiter
  readonly mailsOfNetwork: SharedRateLimiter
  /** Forms that create something, by name, because a reload sends a form again. */
  readonly forms: SharedRateLimiter
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function createLimits(database: LentDatabase): Limits {
  const create = (kind: string, limit: number, windowMs: number): SharedRateLimiter =>
    createSharedRateLimiter(database, { kind, limit, windowMs } satisfies SharedRateLimit)
  return {
    passwords: createSharedDelay(database, { kind: 'wrong-password' }),
    passwordsOfNetwork: create('password-network', 30, MINUTE_MS),
    rightPasswordsOfNetwork: create('right-password-network', 120, HOUR_MS),
    codes: create('code', 10, MINUTE_MS),
    signUps: create('sign-up', 5, HOUR_MS),
    mailsOfAddress: create('mail-address', 3, HOUR_MS),
    mailsOfNetwork: create('mail-network', 10, HOUR_MS),
    forms: create('form', 1, DAY_MS),
  }
}
