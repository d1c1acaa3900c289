import type { Actor, AuditAction, AuditDetails, NewAuditEntry } from '../audit/create-audit-store.ts'
import type { KeyTable } from '../database/schema.ts'

/** Describes a change of a key by its id and last characters; its digest and its text are secret. */
export function createKeyEntry(
  action: AuditAction,
  key: KeyTable,
  { actor, at, details }: { actor: Actor; at: Date; details?: AuditDetails },
): NewAuditEntry {
  const { id, account_id, name, last4 } = key
  return {
    at,
    action,
    actor,
    accountId: account_id,
    target: id,
    details: { name, last4, ...details },
  }
}
