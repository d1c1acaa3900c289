import { randomBytes } from 'node:crypto'
import type { KeyStore } from '../catalog.ts'
import { cleanText } from '../database/clean-text.ts'
import type { Database } from '../database/dialect.ts'
import { readAccount, requireAccount } from './create-account-store.ts'

/** Keys in a database, by their SHA-256 alone. */
export function createKeyStore({ queries, reads, now }: Database): KeyStore {
  return {
    async create({ accountId, name, sha256, last4, expiresAt }) {
      const account = await requireAccount(queries, accountId)
      return queries
        .insertInto('keys')
        .values({
          id: `key_${randomBytes(16).toString('hex')}`,
          account_id: account.id,
          name: cleanText(name),
          sha256,
          last4,
          created_at: now().toISOString(),
          expires_at: expiresAt ?? null,
          last_used_at: null,
          revoked_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
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
        .selectAll('keys')
        .select(['accounts.email', 'accounts.tier', 'accounts.daily'])
        .select('accounts.created_at as account_created_at')
        .where('keys.sha256', '=', cleanText(sha256))
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { email, tier, daily, account_created_at, ...key } = row
      const account = readAccount({ id: key.account_id, email, tier, daily, created_at: account_created_at })
      return { ...key, account }
    },

    find: (id) => reads.selectFrom('keys').selectAll().where('id', '=', cleanText(id)).executeTakeFirst(),

    async update(id, { expiresAt, revokedAt, lastUsedAt }) {
      const change = {
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        ...(revokedAt !== undefined && { revoked_at: revokedAt }),
        ...(lastUsedAt !== undefined && { last_used_at: lastUsedAt }),
      }
      if (Object.keys(change).length === 0) return this.find(id)
      return queries
        .updateTable('keys')
        .set(change)
        .where('id', '=', cleanText(id))
        .returningAll()
        .executeTakeFirst()
    },
  }
}
