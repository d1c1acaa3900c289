import { sql, type Transaction } from 'kysely'
import { type Database, cleanText, type AuditTable, type Schema, splitParts } from '../database/database.ts'

export interface Actor {
  /** A person with access to the database, the owner of an account, a token, or a program. */
  readonly kind: 'operator' | 'account' | 'token' | 'system'
  /** Name of the operator or program, id of the account or token; `null` if unknown. */
  readonly id: string | null
}

/** All that the audit log records. Only changes that happened have an entry. */
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
  'key.restored',
  'token.created',
  'token.revoked',
  'version.published',
  'version.yanked',
  'version.restored',
  'version.signed',
  'version.purged',
  'job.retried',
  'mode.switched',
] as const

export type AuditAction = (typeof auditActions)[number]

/** Such as the values before. Never a secret, and never a text of a pack. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

export interface NewAuditEntry {
  readonly at: Date
  readonly action: AuditAction
  readonly actor: Actor
  /** Id of the account that the change concerns. Email addresses are not recorded. */
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
  readonly since?: Date | undefined
  /** Only entries about the account with this id, which may be deleted. */
  readonly accountId?: string | undefined
  readonly action?: AuditAction | undefined
  /** Only entries older than the one with this id: the last one of the page before. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Longest text of a column, and of a value in the details, in UTF-16 units. */
const MAX_TEXT_LENGTH = 500
const MAX_DETAILS = 20

export async function listAudit(
  { reads }: Database,
  { since, accountId, action, before, limit }: AuditQuery,
): Promise<readonly AuditEntry[]> {
  let query = reads.selectFrom('audit_log').selectAll()
  if (since !== undefined) query = query.where('at', '>=', since.toISOString())
  if (accountId !== undefined) query = query.where('account_id', '=', cleanText(accountId))
  if (action !== undefined) query = query.where('action', '=', action)
  if (before !== undefined) {
    query = query.where(sql<boolean>`(at, id) < (select at, id from audit_log where id = ${before})`)
  }
  const rows = await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(({ actor_kind, actor_id, details, ...row }) => ({
    ...row,
    actor: { kind: actor_kind, id: actor_id },
    details: JSON.parse(details) as AuditDetails,
  }))
}

/** Writes the entries in the transaction of their changes: neither exists without the other. */
export async function recordAudit(
  transaction: Transaction<Schema>,
  ...entries: readonly NewAuditEntry[]
): Promise<void> {
  for (const part of splitParts(entries.map(createRow)))
    await transaction.insertInto('audit_log').values(part).execute()
}

function createRow(entry: NewAuditEntry): AuditTable {
  return {
    at: entry.at.toISOString(),
    action: entry.action,
    actor_kind: entry.actor.kind,
    actor_id: boundText(entry.actor.id),
    account_id: boundText(entry.accountId ?? null),
    target: boundText(entry.target ?? null),
    details: JSON.stringify(boundDetails(entry.details ?? {})),
  }
}

function boundDetails(details: AuditDetails): AuditDetails {
  const bounded = Object.entries(details)
    .slice(0, MAX_DETAILS)
    .map(([name, value]) => [name, typeof value === 'string' ? boundText(value) : value] as const)
  return Object.fromEntries(bounded)
}

function boundText(text: string | null): string | null {
  return text === null ? null : cleanText(text.slice(0, MAX_TEXT_LENGTH))
}
