/** The kinds of rows that expire, in the order in which they are swept. */
export const sweepKinds = [
  'sessions',
  'verifications',
  'codes',
  'limits',
  'revoked_keys',
  'expired_keys',
  'quota_days',
  'jobs',
  'sources',
  'audit_log',
] as const

export type SweepKind = (typeof sweepKinds)[number]

/** What one batch of a sweep did. */
export interface SweepBatch {
  /** Rows that it deleted. */
  readonly rows: number
  /** Whether there may be more expired rows. */
  readonly hasMore: boolean
}

/** The right to do a task, which one process at a time has until it expires. */
export interface Lease {
  /** Name of the task. */
  readonly name: string
  /** Name of the process. */
  readonly holder: string
}

/** Deletes expired rows, and holds the lease of the process that does so. */
export interface MaintenanceStore {
  /** Deletes at most `limit` expired rows in a short transaction. */
  removeExpired(kind: SweepKind, now: Date, limit: number): Promise<SweepBatch>
  /** Takes a free or expired lease, or renews one that this holder has; returns whether it did. */
  takeLease(lease: Lease & { readonly now: Date; readonly lengthMs: number }): Promise<boolean>
  /** Gives a lease back; does nothing if another process has it. */
  releaseLease(lease: Lease): Promise<void>
}
