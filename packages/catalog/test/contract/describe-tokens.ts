import { inspect } from 'node:util'
import { coversSlug } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { createKeyText, hashKey } from '../../src/accounts/issue-key.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 60 * 60 * 1000)
const REQUEST = { slug: 'docs-*', name: ' ci ', expiresAt: null, actor }

export function describeTokens(context: CatalogContext): void {
  describe('publish tokens', () => {
    it('are stored as digests, verified, and listed with those that have ended', async () => {
      const { tokens } = context.catalog
      const { token, row } = await tokens.create(REQUEST, NOW)
      expect(token).toMatch(/^kpub_[0-9A-Za-z]{36}$/)
      expect(row).toEqual({
        id: expect.stringMatching(/^tok_[0-9a-f]{32}$/),
        name: 'ci',
        slug: 'docs-*',
        sha256: hashKey(token),
        last4: token.slice(-4),
        created_at: '2026-03-01T12:00:00.000Z',
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
      })
      expect(await tokens.use(token, NOW)).toEqual({ ...row, last_used_at: NOW.toISOString() })
      const other = await tokens.create({ ...REQUEST, slug: 'tls', expiresAt: later(2) }, later(1))
      expect((await tokens.list()).map(({ id }) => id)).toEqual([row.id, other.row.id])
      expect(await tokens.use(other.token, later(1.9))).toMatchObject({ slug: 'tls' })
      expect(await tokens.use(other.token, later(2))).toBeUndefined()
      expect(inspect(await context.catalog.audit.list({ limit: 9 }))).not.toContain(token)
    })

    it('are nothing but what was created', async () => {
      const { tokens } = context.catalog
      const { token } = await tokens.create(REQUEST, NOW)
      const wrong = [
        createKeyText(undefined, 'kpub_'),
        createKeyText(),
        `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
        token.replace('kpub_', 'kp_'),
        `${token} `,
        '',
        'kpub_',
        `kpub_${'\u0000'.repeat(36)}`,
      ]
      for (const text of wrong) expect(await tokens.use(text, NOW)).toBeUndefined()
    })

    it('end when they are revoked, once and for good', async () => {
      const { tokens, audit } = context.catalog
      const { token, row } = await tokens.create(REQUEST, NOW)
      expect(await tokens.revoke(row.id, actor, later(1))).toMatchObject({
        revoked_at: later(1).toISOString(),
      })
      expect(await tokens.revoke(row.id, actor, later(2))).toMatchObject({
        revoked_at: later(1).toISOString(),
      })
      expect(await tokens.use(token, later(1))).toBeUndefined()
      expect(await errorCode(tokens.revoke('tok_\u0000', actor, NOW))).toBe('unknown_token')
      const details = { slug: 'docs-*', last4: token.slice(-4) }
      expect((await audit.list({ limit: 9 })).toReversed()).toMatchObject([
        { action: 'token.created', actor, target: row.id, details },
        { action: 'token.revoked', actor, target: row.id, details },
      ])
    })

    it.each([
      [{ slug: '' }],
      [{ slug: 'docs-*-*' }],
      [{ slug: 'Docs' }],
      [{ slug: 'docs/*' }],
      [{ slug: 'a'.repeat(101) }],
      [{ name: ' ' }],
      [{ name: 'two\nlines' }],
      [{ expiresAt: NOW }],
    ])('are refused with %j', async (wrong) => {
      expect(await errorCode(context.catalog.tokens.create({ ...REQUEST, ...wrong }, NOW))).toBe(
        'invalid_token',
      )
    })

    it.each([
      ['tls', ['tls'], ['tls-2', 'a-tls', '']],
      ['docs-*', ['docs-', 'docs-tls', 'docs-tls-2'], ['docs', 'mydocs-tls']],
      ['*-guide', ['tls-guide', '-guide'], ['guide', 'tls-guides']],
      ['aba*aba', ['abaaba', 'aba-aba'], ['aba', 'ababa']],
      ['*', ['tls', ''], []],
    ])('with %s cover', (pattern, yes, no) => {
      for (const slug of yes) expect([slug, coversSlug(pattern, slug)]).toEqual([slug, true])
      for (const slug of no) expect([slug, coversSlug(pattern, slug)]).toEqual([slug, false])
    })
  })
}
