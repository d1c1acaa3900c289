import { randomBytes } from 'node:crypto'
import { recordAudit, type Actor } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import { cleanText, type Database } from '../database/database.ts'
import type { TokenRow } from '../types.ts'
import { checkName, createKeyText, hashKey, isKeyText } from './issue-key.ts'

export interface NewToken {
  /** A slug, or a pattern with one `*` for any text, such as `docs-*`. */
  readonly slug: string
  /** What it is for: 1 to 100 characters on one line. */
  readonly name: string
  readonly expiresAt: Date | null
  readonly actor: Actor
}

/** Tokens that publish packs over HTTP. They belong to no account, and read nothing. */
export interface TokenStore {
  /**
   * Returns the text of the token, which cannot be shown again.
   * @throws CatalogError `invalid_token`
   */
  create(token: NewToken, now: Date): Promise<{ readonly token: string; readonly row: TokenRow }>
  /**
   * Works in recovery mode too. Repeating it changes nothing.
   * @throws CatalogError `unknown_token`
   */
  revoke(id: string, actor: Actor, now: Date): Promise<TokenRow>
  /** First created first, with those that have ended. */
  list(): Promise<readonly TokenRow[]>
  /**
   * Returns `undefined` for a text that is malformed, unknown, revoked or expired. The last use is
   * stored hourly, in the background.
   */
  verify(text: string, now: Date): Promise<TokenRow | undefined>
}

const HOUR_MS = 60 * 60 * 1000
const PATTERN = /^(?!$)(?!.{101})[a-z0-9-]*\*?[a-z0-9-]*$/

export function createTokenStore({ queries, reads }: Database): TokenStore {
  return {
    async create({ slug, name: label, expiresAt, actor }, now) {
      const name = checkName(label, 'token')
      if (!PATTERN.test(slug))
        throw new CatalogError(
          'invalid_token',
          `${JSON.stringify(slug.slice(0, 80))} is neither a slug nor a pattern of slugs`,
          'Use a slug such as docs-tls, or one * for any text: docs-*',
        )
      if (expiresAt !== null && !(expiresAt > now))
        throw new CatalogError('invalid_token', 'The token would end in the past', 'Name a later time.')
      const token = createKeyText(randomBytes, 'kpub_')
      const row = {
        id: `tok_${randomBytes(16).toString('hex')}`,
        name,
        slug,
        sha256: hashKey(token),
        last4: token.slice(-4),
        created_at: now.toISOString(),
        expires_at: expiresAt?.toISOString() ?? null,
        last_used_at: null,
        revoked_at: null,
      }
      await queries.transaction().execute(async (transaction) => {
        await transaction.insertInto('publish_tokens').values(row).execute()
        const details = { slug, last4: row.last4, expires_at: row.expires_at }
        await recordAudit(transaction, { at: now, action: 'token.created', actor, target: row.id, details })
      })
      return { token, row }
    },

    revoke: (id, actor, now) =>
      queries.transaction().execute(async (transaction) => {
        const own = transaction
          .updateTable('publish_tokens')
          .set({ revoked_at: now.toISOString() })
          .where('id', '=', cleanText(id))
        const revoked = await own.where('revoked_at', 'is', null).returningAll().executeTakeFirst()
        if (revoked !== undefined) {
          const details = { slug: revoked.slug, last4: revoked.last4 }
          await recordAudit(transaction, { at: now, action: 'token.revoked', actor, target: id, details })
          return revoked
        }
        const known = transaction.selectFrom('publish_tokens').selectAll().where('id', '=', cleanText(id))
        const ended = await known.executeTakeFirst()
        if (ended !== undefined) return ended
        const hint = 'Give the id of a token from the list of tokens.'
        throw new CatalogError('unknown_token', 'There is no such publish token', hint)
      }),

    list: () => reads.selectFrom('publish_tokens').selectAll().orderBy('created_at').orderBy('id').execute(),

    async verify(text, now) {
      if (!isKeyText(text, 'kpub_')) return undefined
      const token = await reads
        .selectFrom('publish_tokens')
        .selectAll()
        .where('sha256', '=', hashKey(text))
        .executeTakeFirst()
      if (token === undefined || token.revoked_at !== null) return undefined
      const { id, expires_at, last_used_at } = token
      if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) return undefined
      if (last_used_at === null || now.getTime() - Date.parse(last_used_at) >= HOUR_MS)
        queries
          .updateTable('publish_tokens')
          .set({ last_used_at: now.toISOString() })
          .where('id', '=', id)
          .execute()
          .catch(() => undefined)
      return token
    },
  }
}

/**
 * Tells whether a pattern with at most one `*` covers a slug.
 * @example
 * coversSlug('docs-*', 'docs-tls') // true
 */
export function coversSlug(pattern: string, slug: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined) return slug === head
  return slug.length >= head.length + tail.length && slug.startsWith(head) && slug.endsWith(tail)
}
