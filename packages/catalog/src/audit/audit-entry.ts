/** Who made a change. */
export interface Actor {
  /** A person with access to the database, the owner of an account in the pages, or a program on its own. */
  readonly kind: 'operator' | 'account' | 'system'
  /** Name of the operator, id of the account, or name of the program; `null` if unknown. */
  readonly id: string | null
}

/** Everything that the audit log records, in the past tense: only changes that happened have an entry. */
export const auditActions = [
  'account.created',
  'account.claimed',
  'account.verified',
  'account.tier_offered',
  'account.tier_changed',
  'account.opened',
  'account.password_changed',
  'account.reset',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'key.created',
  'key.rotated',
  'key.revoked',
  'version.published',
  'version.yanked',
  'version.restored',
  'version.signed',
  'mode.switched',
] as const

export type AuditAction = (typeof auditActions)[number]

/** What else is worth knowing about a change, such as the values before. Never a secret, and never a text of a pack. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

/** A change to record. */
export interface NewAuditEntry {
  readonly at: Date
  readonly action: AuditAction
  readonly actor: Actor
  /** Id of the account that the change concerns. Addresses are not recorded. */
  readonly accountId?: string | null
  /** The thing that changed: `SLUG@VERSION`, the id of a key, or nothing. */
  readonly target?: string | null
  readonly details?: AuditDetails
}

/** An entry as stored. It never changes, and is deleted after a year. */
export interface AuditEntry {
  /** Ascending. */
  readonly id: number
  /** RFC 3339, UTC, with milliseconds. */
  readonly at: string
  readonly action: string
  readonly actor: { readonly kind: string; readonly id: string | null }
  readonly account_id: string | null
  readonly target: string | null
  readonly details: AuditDetails
}

/** Filters and page of the audit log. An absent filter matches all entries. */
export interface AuditQuery {
  /** Only entries at or after this time. */
  readonly since?: Date | undefined
  /** Only entries about the account with this id, which may be deleted. */
  readonly accountId?: string | undefined
  readonly action?: AuditAction | undefined
  /** Only entries older than the one with this id: the last one of the page before. */
  readonly before?: number | undefined
  readonly limit: number
}
