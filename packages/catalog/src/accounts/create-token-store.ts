import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { recordAudit, type Actor } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import { cleanText, type Database } from '../database/database.ts'
import type { TokenRow } from '../types.ts'
import { checkName, createKeyText, hashKey, isKeyText } from './issue-key.ts'

export interface NewToken extends Pick<TokenRow, 'slug' | 'name'> {
  readonly expiresAt: Date | null
  readonly actor: Actor
}

/** Tokens that publish packs over HTTP. They belong to no account, and read nothing. */
export interface TokenStore {
  /**
   * Returns the text of the token too, which cannot be shown again.
   * @throws CatalogError `invalid_token`
   */
  create(token: NewToken, now: Date): Promise<{ readonly token: string; readonly row: TokenRow }>
  /**
   * Repeating it changes nothing.
   * @throws CatalogError `unknown_token`
   */
  revoke(id: string, actor: Actor, now: Date): Promise<TokenRow>
  /** First created first, with those that have ended. */
  list(): Promise<readonly TokenRow[]>
  /** Records the use of a token; `undefined` if it is malformed, unknown, revoked or expired. */
  use(text: string, now: Date): Promise<TokenRow | undefined>
}

export function createTokenStore({ queries, reads }: Database): TokenStore {
  return {
    async create({ slug, name: label, expiresAt, actor }, now) {
      const name = checkName(label, 'token')
      if (!/^[a-z0-9*-]{1,100}$/.test(slug) || slug.split('*').length > 2) {
        const problem = `${JSON.stringify(slug.slice(0, 80))} is neither a slug nor a pattern of slugs`
        throw new CatalogError('invalid_token', problem, 'Use a slug, or one * for any text, as in docs-*')
      }
      if (expiresAt !== null && !(expiresAt > now))
        throw new CatalogError('invalid_token', 'The token has no valid end', 'Name a later time.')
      const token = createKeyText(randomBytes, 'kpub_')
      const [id, last4] = [`tok_${randomBytes(16).toString('hex')}`, token.slice(-4)]
      const [created_at, expires_at] = [now.toISOString(), expiresAt?.toISOString() ?? null]
      const times = { created_at, expires_at, last_used_at: null, revoked_at: null }
      const row = { id, name, slug, sha256: hashKey(token), last4, ...times }
      await queries.transaction().execute(async (transaction) => {
        await transaction.insertInto('publish_tokens').values(row).execute()
        const details = { slug, last4, expires_at }
        await recordAudit(transaction, { at: now, action: 'token.created', actor, target: id, details })
      })
      return { token, row }
    },

    revoke: (id, actor, now) =>
      queries.transaction().execute(async (transaction) => {
        const revoked_at = now.toISOString()
        const row = await transaction
          .updateTable('publish_tokens')
          .set({ revoked_at: sql`coalesce(revoked_at, ${revoked_at})` })
          .where('id', '=', cleanText(id))
          .returningAll()
          .executeTakeFirst()
        if (row === undefined)
          throw new CatalogError('unknown_token', 'There is no such token', 'See the list of tokens.')
        const details = { slug: row.slug, last4: row.last4 }
        if (row.revoked_at === revoked_at)
          await recordAudit(transaction, { at: now, action: 'token.revoked', actor, target: id, details })
        return row
      }),

    list: () => reads.selectFrom('publish_tokens').selectAll().orderBy('created_at').orderBy('id').execute(),

    async use(text, now) {
      if (!isKeyText(text, 'kpub_')) return undefined
      const time = now.toISOString()
      return queries
        .updateTable('publish_tokens')
        .set({ last_used_at: time })
        .where('sha256', '=', hashKey(text))
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', time)]))
        .returningAll()
        .executeTakeFirst()
    },
  }
}

/** @param pattern a slug, or a pattern with one `*` for any text */
export function coversSlug(pattern: string, slug: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined) return slug === head
  return slug.length >= head.length + tail.length && slug.startsWith(head) && slug.endsWith(tail)
}
