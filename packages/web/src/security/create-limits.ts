import { createSharedRateLimiter, type LentDatabase, type SharedRateLimiter } from '@packs/catalog'

/** What is limited for all processes together. */
export interface Limits {
  /** Wrong passwords, by address and network. */
  readonly passwords: SharedRateLimiter
  /** Sign-ups, by network. */
  readonly signUps: SharedRateLimiter
  /** Forms that make something, by what names them: a reload sends a form again. */
  readonly forms: SharedRateLimiter
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function createLimits(database: LentDatabase): Limits {
  return {
    passwords: createSharedRateLimiter(database, { kind: 'password', limit: 10, windowMs: MINUTE_MS }),
    signUps: createSharedRateLimiter(database, { kind: 'sign-up', limit: 5, windowMs: HOUR_MS }),
    forms: createSharedRateLimiter(database, { kind: 'form', limit: 1, windowMs: DAY_MS }),
  }
}
