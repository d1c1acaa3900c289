import { randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/normalize-text.ts'
import type { KeyTable, Queries } from '../database/schema.ts'
import type { Actor } from '../audit/create-audit-store.ts'
import type { Account, KeyRow } from '../types.ts'
import { accountColumns, lockAccount, readAccount, requireEnabled } from './account-row.ts'
import { createKeyEntry } from './key-entry.ts'

/** Maximum active keys of an account, and maximum rotated keys that have not expired yet. */
const MAX_KEYS = 5
/** Keys, rotations included, that an account may create in 24 hours: ended keys stay in the table for 30 days. */
const MAX_KEYS_A_DAY = 50
const DAY_MS = 24 * 60 * 60 * 1000
const GRACE_MS = DAY_MS

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

export interface KeyStore {
  /** @throws CatalogError `unknown_account`, `too_many_keys`, `account_disabled`, `access_ended` */
  create(key: {
    accountId: string
    name: string
    sha256: string
    last4: string
    expiresAt?: string | null
    /** `reset_at` of the account that the caller has seen; with another one nothing is created. @default not compared */
    resetAt?: string | null
    actor: Actor
    /** @default the catalog's clock */
    now?: Date
  }): Promise<KeyRow>
  /** Replaces a key by a new one. @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys`, `account_disabled` */
  rotate(
    id: string,
    replacement: { sha256: string; last4: string; actor: Actor; now?: Date },
  ): Promise<KeyRow>
  /** Ends a key at once; does nothing to one that is revoked. @throws CatalogError `unknown_key` */
  revoke(id: string, revocation: { actor: Actor; now?: Date }): Promise<KeyRow>
  list(accountId: string): Promise<readonly KeyRow[]>
  findBySha256(sha256: string): Promise<(KeyRow & { readonly account: Account }) | undefined>
  find(id: string): Promise<KeyRow | undefined>
  /** Stores when a key was last used. */
  recordUse(id: string, lastUsedAt: string): Promise<void>
}

/** Creates the store of keys in a database, which only holds their SHA-256. */
export function createKeyStore({ queries, reads, now: readClock }: Database): KeyStore {
  return {
    create: ({ accountId, name, sha256, last4, expiresAt, resetAt, actor, now = readClock() }) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, accountId)
        const { id } = account
        requireEnabled(account)
        // The account was reset after the caller was let in.
        if (resetAt !== undefined && resetAt !== account.reset_at)
          throw new CatalogError('access_ended', 'The access to the account has ended', 'Sign in again.')
        await enforceKeyLimit(transaction, id, 'active', now)
        await enforceDailyKeys(transaction, id, now)
        const key = await insertKey(transaction, {
          account_id: id,
          name: cleanText(name),
          sha256,
          last4,
          created_at: now.toISOString(),
          expires_at: expiresAt ?? null,
        })
        await recordAudit(transaction, createKeyEntry('key.created', key, { actor, at: now }))
        return key
      }),

    rotate: (id, { sha256, last4, actor, now = readClock() }) =>
      queries.transaction().execute(async (transaction) => {
        const { old, key } = await replaceKey(transaction, cleanText(id), { sha256, last4 }, now)
        const details = { replaced_by: key.id, replaced_by_last4: key.last4 }
        await recordAudit(transaction, createKeyEntry('key.rotated', old, { actor, at: now, details }))
        return key
      }),

    revoke: (id, { actor, now = readClock() }) =>
      queries.transaction().execute(async (transaction) => {
        const revoked = await transaction
          .updateTable('keys')
          .set({ revoked_at: now.toISOString() })
          .where('id', '=', cleanText(id))
          .where('revoked_at', 'is', null)
          .returningAll()
          .executeTakeFirst()
        if (revoked !== undefined) {
          await recordAudit(transaction, createKeyEntry('key.revoked', revoked, { actor, at: now }))
          return revoked
        }
        const known = await findKey(transaction, id)
        if (known === undefined) throw unknownKeyError()
        return known
      }),

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

function unknownKeyError(): CatalogError {
  return new CatalogError(
    'unknown_key',
    'There is no such key',
    'Give the id of a key from the list of keys.',
  )
}

function keyEndedError(): CatalogError {
  const hint = 'Rotate the key that is in use, or create a new one.'
  return new CatalogError('key_ended', 'The key was already revoked or replaced, or has expired', hint)
}

async function replaceKey(
  transaction: Queries,
  id: string,
  replacement: Pick<KeyTable, 'sha256' | 'last4'>,
  now: Date,
): Promise<{ readonly old: KeyTable; readonly key: KeyTable }> {
  const known = await findKey(transaction, id)
  if (known === undefined) throw unknownKeyError()
  const { account_id, name } = known
  requireEnabled(await lockAccount(transaction, account_id))
  const old = (await findKey(transaction, id)) ?? known
  const time = now.getTime()
  const end = old.expires_at === null ? Infinity : Date.parse(old.expires_at)
  if (old.revoked_at !== null || old.rotated_at !== null || end <= time) throw keyEndedError()
  await enforceKeyLimit(transaction, account_id, 'rotated', now)
  await enforceDailyKeys(transaction, account_id, now)
  await transaction
    .updateTable('keys')
    .set({
      rotated_at: now.toISOString(),
      expires_at: new Date(Math.min(end, time + GRACE_MS)).toISOString(),
    })
    .where('id', '=', id)
    .execute()
  const life = end - Date.parse(old.created_at)
  const key = await insertKey(transaction, {
    ...replacement,
    account_id,
    name,
    created_at: now.toISOString(),
    expires_at: life === Infinity ? null : new Date(time + life).toISOString(),
  })
  return { old, key }
}

function findKey(queries: Queries, id: string): Promise<KeyTable | undefined> {
  return queries.selectFrom('keys').selectAll().where('id', '=', cleanText(id)).executeTakeFirst()
}

function insertKey(
  queries: Queries,
  key: Omit<KeyTable, 'id' | 'last_used_at' | 'revoked_at' | 'rotated_at'>,
): Promise<KeyTable> {
  const id = `key_${randomBytes(16).toString('hex')}`
  return queries
    .insertInto('keys')
    .values({ ...key, id, last_used_at: null, revoked_at: null, rotated_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const EXPIRY_HINT =
  'Revoke rotated keys that are no longer used, or wait until they expire, 24 hours after the rotation.'

/** @throws CatalogError `too_many_keys` if the account has the maximum of active keys, or of rotated ones that are still valid */
async function enforceKeyLimit(
  transaction: Queries,
  account: string,
  kind: 'active' | 'rotated',
  now: Date,
): Promise<void> {
  const { count } = await transaction
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where('rotated_at', kind === 'active' ? 'is' : 'is not', null)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', now.toISOString())]),
    )
    .executeTakeFirstOrThrow()
  if (count < MAX_KEYS) return
  const [keys, hint] =
    kind === 'active'
      ? ['active keys', 'Revoke a key that is no longer used, or rotate one.']
      : ['rotated keys that have not expired', EXPIRY_HINT]
  throw new CatalogError('too_many_keys', `The account already has ${count} ${keys}`, hint)
}

/** @throws CatalogError `too_many_keys` if the account has created the maximum of keys in the last 24 hours */
async function enforceDailyKeys(transaction: Queries, account: string, now: Date): Promise<void> {
  const { count } = await transaction
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .where('created_at', '>', new Date(now.getTime() - DAY_MS).toISOString())
    .executeTakeFirstOrThrow()
  if (count < MAX_KEYS_A_DAY) return
  const hint = 'Wait until some of them are older, or use the keys that exist.'
  throw new CatalogError('too_many_keys', `The account has created ${count} keys in the last 24 hours`, hint)
}
