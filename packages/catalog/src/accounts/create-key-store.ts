import type { Transaction } from 'kysely'
import { recordAudit, type Actor } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import { type Database, cleanText, type Queries, type Schema } from '../database/database.ts'
import type { SettingStore } from '../mode/create-setting-store.ts'
import type { Account, KeyRow } from '../types.ts'
import { accountColumns, lockAccount, readAccount, requireEnabled } from './account-row.ts'
import { createKeyEntry } from './end-access.ts'
import { checkName, enforceKeyLimit, insertKey, type CreatedKey, hashKey, isKeyText } from './issue-key.ts'

/** Milliseconds in which a revocation can be undone. */
export const UNDO_MS = 60_000
/** Milliseconds that a replaced key stays valid. */
const GRACE_MS = 24 * 60 * 60 * 1000

/** Columns of a key whose names no column of an account has. */
const keyColumns = [
  'keys.account_id',
  'keys.name',
  'keys.sha256',
  'keys.last4',
  'keys.expires_at',
  'keys.last_used_at',
  'keys.revoked_at',
  'keys.rotated_at',
] as const

interface KeyRequest {
  readonly accountId: string
  /** Label for its owner: 1 to 100 characters, no control characters. */
  readonly name: string
  /** Of the account when its owner was let in: after a later reset nothing is created. */
  readonly resetAt?: string | null
  readonly actor: Actor
}

export interface KeyStore {
  /**
   * @throws CatalogError `invalid_key`, `unknown_account`, `too_many_keys`, `recovery_mode`,
   *   `account_disabled`, `access_ended`
   */
  create(request: KeyRequest, now: Date): Promise<CreatedKey>
  /**
   * Creates a key that replaces another, with the same name. The old one stays valid for 24 hours.
   *
   * Rotated keys do not count as active, but an account has at most five valid ones of them.
   * @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys`, `recovery_mode`,
   *   `account_disabled`
   */
  rotate(id: string, actor: Actor, now: Date): Promise<CreatedKey>
  /**
   * Works in recovery mode too. Repeating it changes nothing.
   * @throws CatalogError `unknown_key`
   */
  revoke(id: string, actor: Actor, now: Date): Promise<KeyRow>
  /**
   * Undoes a revocation by the owner of less than a minute ago.
   * @throws CatalogError as `rotate` does
   */
  restore(id: string, actor: Actor, now: Date): Promise<KeyRow>
  list(accountId: string): Promise<readonly KeyRow[]>
  findBySha256(sha256: string): Promise<(KeyRow & { readonly account: Account }) | undefined>
  find(id: string): Promise<KeyRow | undefined>
  recordUse(id: string, lastUsedAt: string): Promise<void>
}

export function createKeyStore({ queries, reads }: Database, settings: SettingStore): KeyStore {
  return {
    async create({ accountId, name: label, resetAt, actor }, now) {
      const name = checkName(label)
      await requireOnline(settings)
      return queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, accountId)
        requireEnabled(account)
        // The account was reset after the caller was let in.
        if (resetAt !== undefined && resetAt !== account.reset_at)
          throw new CatalogError('access_ended', 'The access to the account has ended', 'Sign in again.')
        await enforceKeyLimit(transaction, account.id, 'active', now)
        const created = await insertKey(transaction, account.id, name, now)
        await recordAudit(transaction, createKeyEntry('key.created', created.row, { actor, at: now }))
        return created
      })
    },

    async rotate(id, actor, now) {
      await requireOnline(settings)
      return queries.transaction().execute((transaction) => replaceKey(transaction, id, actor, now))
    },

    revoke: (id, actor, now) =>
      queries.transaction().execute(async (transaction) => {
        const revoked = await transaction
          .updateTable('keys')
          .set({ revoked_at: now.toISOString() })
          .where('id', '=', cleanText(id))
          .where('revoked_at', 'is', null)
          .returningAll()
          .executeTakeFirst()
        if (revoked === undefined) return requireKey(transaction, id)
        await recordAudit(transaction, createKeyEntry('key.revoked', revoked, { actor, at: now }))
        return revoked
      }),

    async restore(id, actor, now) {
      await requireOnline(settings)
      return queries.transaction().execute((transaction) => restoreKey(transaction, id, actor, now))
    },

    list: (accountId) =>
      reads
        .selectFrom('keys')
        .selectAll()
        .where('account_id', '=', cleanText(accountId))
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    async findBySha256(sha256) {
      const row = await reads
        .selectFrom('keys')
        .innerJoin('accounts', 'accounts.id', 'keys.account_id')
        .select(accountColumns)
        .select(keyColumns)
        .select(['keys.id as key_id', 'keys.created_at as key_created_at'])
        .where('keys.sha256', '=', cleanText(sha256))
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { key_id, key_created_at, account_id, name, last4 } = row
      const { expires_at, last_used_at, revoked_at, rotated_at } = row
      const key = { id: key_id, account_id, name, sha256: row.sha256, last4, created_at: key_created_at }
      return { ...key, expires_at, last_used_at, revoked_at, rotated_at, account: readAccount(row) }
    },

    find: (id) => findKey(reads, id),

    async recordUse(id, lastUsedAt) {
      await queries
        .updateTable('keys')
        .set({ last_used_at: lastUsedAt })
        .where('id', '=', cleanText(id))
        .execute()
    },
  }
}

/** Only what the owner ended is restored, not what an operator or the reset of an account ended. */
async function restoreKey(
  transaction: Transaction<Schema>,
  id: string,
  actor: Actor,
  now: Date,
): Promise<KeyRow> {
  const known = await requireKey(transaction, id)
  const account = await lockAccount(transaction, known.account_id)
  requireEnabled(account)
  const key = (await findKey(transaction, id)) ?? known
  const { revoked_at, rotated_at } = key
  if (revoked_at === null) return key
  const revocation = await transaction
    .selectFrom('audit_log')
    .select(['actor_kind', 'actor_id'])
    .where('action', '=', 'key.revoked')
    .where('target', '=', key.id)
    .where('at', '=', revoked_at)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const isOwn = revocation?.actor_kind === 'account' && revocation.actor_id === account.id
  if (!isOwn || now.getTime() - Date.parse(revoked_at) >= UNDO_MS || (account.reset_at ?? '') >= revoked_at)
    throw new CatalogError('key_ended', 'The revocation can no longer be undone', 'Create a new key.')
  await enforceKeyLimit(transaction, account.id, rotated_at === null ? 'active' : 'rotated', now)
  await transaction.updateTable('keys').set({ revoked_at: null }).where('id', '=', key.id).execute()
  await recordAudit(transaction, createKeyEntry('key.restored', key, { actor, at: now }))
  return { ...key, revoked_at: null }
}

async function replaceKey(
  transaction: Transaction<Schema>,
  id: string,
  actor: Actor,
  now: Date,
): Promise<CreatedKey> {
  const known = await requireKey(transaction, id)
  requireEnabled(await lockAccount(transaction, known.account_id))
  const old = (await findKey(transaction, id)) ?? known
  // Only a rotation lets a key expire.
  if (old.revoked_at !== null || old.expires_at !== null) {
    const hint = 'Rotate the key that is in use, or create a new one.'
    throw new CatalogError('key_ended', 'The key was already revoked or replaced, or has expired', hint)
  }
  await enforceKeyLimit(transaction, old.account_id, 'rotated', now)
  await transaction
    .updateTable('keys')
    .set({
      rotated_at: now.toISOString(),
      expires_at: new Date(now.getTime() + GRACE_MS).toISOString(),
    })
    .where('id', '=', old.id)
    .execute()
  const created = await insertKey(transaction, old.account_id, old.name, now)
  const details = { replaced_by: created.row.id, replaced_by_last4: created.row.last4 }
  await recordAudit(transaction, createKeyEntry('key.rotated', old, { actor, at: now, details }))
  return created
}

/** @throws CatalogError `recovery_mode` unless the service is online */
async function requireOnline(settings: SettingStore): Promise<void> {
  const { mode } = await settings.mode()
  if (mode === 'online') return
  throw new CatalogError(
    'recovery_mode',
    'The service is in recovery mode: keys can neither be created nor used',
    'Wait until it is online again; an operator ends it with `pack mode online`.',
  )
}

function findKey(queries: Queries, id: string): Promise<KeyRow | undefined> {
  return queries.selectFrom('keys').selectAll().where('id', '=', cleanText(id)).executeTakeFirst()
}

/** @throws CatalogError `unknown_key` */
async function requireKey(queries: Queries, id: string): Promise<KeyRow> {
  const key = await findKey(queries, id)
  if (key !== undefined) return key
  const hint = 'Give the id of a key from the list of keys.'
  throw new CatalogError('unknown_key', 'There is no such key', hint)
}

const HOUR_MS = 60 * 60 * 1000
const MAX_RECORDED = 10_000

type KeyPorts = { readonly keys: KeyStore }

export interface VerifiedKey {
  readonly account: Account
  readonly key: KeyRow
}

/**
 * Finds a key and its account; `undefined` if the text is malformed, the key is unknown, revoked or
 * expired, or its account is disabled.
 *
 * A wrong checksum needs no look-up. The last use is stored hourly, in the background.
 */
export async function verifyKey(
  catalog: KeyPorts,
  text: string,
  now: Date,
): Promise<VerifiedKey | undefined> {
  if (!isKeyText(text)) return undefined
  const found = await catalog.keys.findBySha256(hashKey(text))
  if (found === undefined) return undefined
  const { account, ...key } = found
  const isLive = key.expires_at === null || Date.parse(key.expires_at) > now.getTime()
  if (account.disabled || key.revoked_at !== null || !isLive) return undefined
  recordUse(catalog, key, now)
  return { account, key }
}

/** When each key's last use was written last, so that parallel requests cause one write. */
const recordedUses = new WeakMap<KeyPorts, Map<string, number>>()

function recordUse(catalog: KeyPorts, { id, last_used_at }: KeyRow, now: Date): void {
  const time = now.getTime()
  if (last_used_at !== null && time - Date.parse(last_used_at) < HOUR_MS) return
  const times = recordedUses.get(catalog) ?? new Map<string, number>()
  recordedUses.set(catalog, times)
  if (time - (times.get(id) ?? -Infinity) < HOUR_MS) return
  if (times.size >= MAX_RECORDED) times.clear()
  times.set(id, time)
  catalog.keys.recordUse(id, now.toISOString()).catch(() => {})
}
