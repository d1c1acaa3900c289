import type { AuthDatabase } from '../accounts/auth-database.ts'
import { createSharedLimiter, type SharedLimiter } from '../security/create-shared-limiter.ts'

/** What is limited for all processes together. */
export interface Limits {
  /** Wrong passwords, by address and network. */
  readonly passwords: SharedLimiter
  /** Sign-ups, by network. */
  readonly signUps: SharedLimiter
  /** Forms that make something, by what names them: a reload sends a form again. */
  readonly forms: SharedLimiter
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function createLimits(database: AuthDatabase): Limits {
  return {
    passwords: createSharedLimiter(database, { kind: 'password', most: 10, window: MINUTE_MS }),
    signUps: createSharedLimiter(database, { kind: 'sign-up', most: 5, window: HOUR_MS }),
    forms: createSharedLimiter(database, { kind: 'form', most: 1, window: DAY_MS }),
  }
}
