import { inspect } from 'node:util'
import { verifyKey, type Account, type Catalog, type CreatedKey } from '@packs/catalog'
import { createKeyText, hashKey } from '../../src/accounts/issue-key.ts'
import { describe, expect, it, vi } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const HOUR_MS = 60 * 60 * 1000
const later = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS)
const PATIENT = { timeout: 60_000, interval: 20 }

export function describeKeys(context: CatalogContext): void {
  const createAccount = (): Promise<Account> =>
    context.catalog.accounts.create({ email: 'ada@example.org', tier: 'free', actor })

  describe('API keys', () => {
    it('are stored as digests and verified', async () => {
      const { catalog } = context
      const account = await createAccount()
      const request = { accountId: 'ada@example.org', name: ' ci \u{1F511} ' }
      const { key, row } = await catalog.keys.create({ ...request, actor }, NOW)
      expect(row).toEqual({
        id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
        account_id: account.id,
        name: 'ci \u{1F511}',
        sha256: hashKey(key),
        last4: key.slice(-4),
        created_at: '2026-03-01T12:00:00.000Z',
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        rotated_at: null,
      })
      expect(await verifyKey(catalog, key, NOW)).toEqual({ account, key: row })
      expect(await verifyKey(catalog, createKeyText(), NOW)).toBeUndefined()
      const change = { tier: 'pro', isUnverifiedAccepted: true, actor } as const
      const pro = await catalog.accounts.setTier(account.id, change)
      expect((await verifyKey(catalog, key, NOW))?.account).toEqual(pro.account)
    })

    it('are limited to five active ones per account, also for concurrent requests', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const create = (): Promise<string> =>
        errorCode(catalog.keys.create({ accountId, name: 'x', actor }, NOW))
      const codes = await Promise.all(Array.from({ length: 12 }, create))
      expect(codes.toSorted()).toEqual([
        ...Array<string>(5).fill('none'),
        ...Array<string>(7).fill('too_many_keys'),
      ])
      const [first] = await catalog.keys.list(accountId)
      await catalog.keys.revoke(first!.id, actor, NOW)
      expect([await create(), await create()]).toEqual(['none', 'too_many_keys'])
    })

    it('stay valid for a day after rotation', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const old = await catalog.keys.create({ accountId, name: 'ci', actor }, NOW)
      const next = await catalog.keys.rotate(old.row.id, actor, later(1))
      expect(next.row).toMatchObject({ name: 'ci', created_at: later(1).toISOString(), expires_at: null })
      expect((await verifyKey(catalog, old.key, later(24.9)))?.key.rotated_at).toBe(later(1).toISOString())
      expect(await verifyKey(catalog, old.key, later(25))).toBeUndefined()
      expect((await verifyKey(catalog, next.key, later(25)))?.key.id).toBe(next.row.id)
    })

    it('are rotated at most once and only while valid, also by concurrent calls', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const { row } = await catalog.keys.create({ accountId, name: 'ci', actor }, NOW)
      const tries = await Promise.all([1, 2, 3].map(() => errorCode(catalog.keys.rotate(row.id, actor, NOW))))
      expect(tries.toSorted()).toEqual(['key_ended', 'key_ended', 'none'])
      expect(await errorCode(catalog.keys.rotate(row.id, actor, later(24)))).toBe('key_ended')
      const revoked = await catalog.keys.create({ accountId, name: 'x', actor }, NOW)
      await catalog.keys.revoke(revoked.row.id, actor, NOW)
      expect(await errorCode(catalog.keys.rotate(revoked.row.id, actor, NOW))).toBe('key_ended')
      expect(await errorCode(catalog.keys.rotate('key_none', actor, NOW))).toBe('unknown_key')
    })

    it('can be rotated with five active, but at most five rotated ones may be valid', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const ids: string[] = []
      for (let count = 0; count < 5; count++) {
        ids.push((await catalog.keys.create({ accountId, name: 'x', actor }, NOW)).row.id)
      }
      for (const id of ids) ids[ids.indexOf(id)] = (await catalog.keys.rotate(id, actor, NOW)).row.id
      expect(await errorCode(catalog.keys.rotate(ids[0]!, actor, NOW))).toBe('too_many_keys')
      expect(await errorCode(catalog.keys.create({ accountId, name: 'x', actor }, NOW))).toBe('too_many_keys')
      expect(await errorCode(catalog.keys.rotate(ids[0]!, actor, later(24)))).toBe('none')
    })

    it('end immediately when revoked, and keep the first revocation time', async () => {
      const { catalog } = context
      const { key, row } = await catalog.keys.create(
        { accountId: (await createAccount()).id, name: 'x', actor },
        NOW,
      )
      expect((await catalog.keys.revoke(row.id, actor, later(1))).revoked_at).toBe(later(1).toISOString())
      expect((await catalog.keys.revoke(row.id, actor, later(2))).revoked_at).toBe(later(1).toISOString())
      expect(await verifyKey(catalog, key, later(1))).toBeUndefined()
      expect(await errorCode(catalog.keys.revoke('key_none', actor, NOW))).toBe('unknown_key')
    })

    it('can be restored for a minute by the owner who revoked them', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const owner = { kind: 'account', id: accountId } as const
      const { key, row } = await catalog.keys.create({ accountId, name: 'ci', actor: owner }, NOW)
      const restore = (seconds: number): Promise<string> =>
        errorCode(catalog.keys.restore(row.id, owner, new Date(NOW.getTime() + seconds * 1000)))
      await catalog.keys.revoke(row.id, owner, NOW)
      expect(await restore(60)).toBe('key_ended')
      expect(await restore(59)).toBe('none')
      expect((await verifyKey(catalog, key, later(1)))?.key.id).toBe(row.id)
      // What an operator revoked stays revoked, and so does what the reset of the account ended.
      await catalog.keys.revoke(row.id, actor, NOW)
      expect(await restore(1)).toBe('key_ended')
      const other = await catalog.keys.create({ accountId, name: 'ci', actor: owner }, NOW)
      await catalog.keys.revoke(other.row.id, owner, NOW)
      await catalog.accounts.reset(accountId, { actor, now: NOW })
      expect(await errorCode(catalog.keys.restore(other.row.id, owner, NOW))).toBe('key_ended')
      expect(await errorCode(catalog.keys.restore('key_none', owner, NOW))).toBe('unknown_key')
    })

    it('are restored only while fewer than five are active', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const owner = { kind: 'account', id: accountId } as const
      const create = async (): Promise<string> =>
        (await catalog.keys.create({ accountId, name: 'x', actor: owner }, NOW)).row.id
      const id = await create()
      await catalog.keys.revoke(id, owner, NOW)
      for (let more = 0; more < 5; more++) await create()
      expect(await errorCode(catalog.keys.restore(id, owner, NOW))).toBe('too_many_keys')
    })

    it('can be revoked in recovery mode, but neither created nor rotated', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const { row } = await catalog.keys.create({ accountId, name: 'x', actor }, NOW)
      await catalog.settings.setMode('recovery', { actor })
      expect(await errorCode(catalog.keys.create({ accountId, name: 'y', actor }, NOW))).toBe('recovery_mode')
      expect(await errorCode(catalog.keys.rotate(row.id, actor, NOW))).toBe('recovery_mode')
      expect(await catalog.keys.list(accountId)).toEqual([row])
      expect(await errorCode(catalog.keys.revoke(row.id, actor, NOW))).toBe('none')
    })

    it('are at most 50 in 24 hours, revoked and rotated ones included', async () => {
      const { catalog } = context
      const accountId = (await createAccount()).id
      const create = (time: Date): Promise<CreatedKey> =>
        catalog.keys.create({ accountId, name: 'x', actor }, time)
      const [first] = [await create(NOW)]
      for (let count = 1; count < 50; count++) {
        const { row } = await create(later(1))
        await catalog.keys.revoke(row.id, actor, later(1))
      }
      expect(await errorCode(create(later(2)))).toBe('too_many_keys')
      expect(await errorCode(catalog.keys.rotate(first.row.id, actor, later(23.9)))).toBe('too_many_keys')
      expect(await errorCode(create(later(24)))).toBe('none')
    })

    it('have names of one line and at most 100 characters', async () => {
      const accountId = (await createAccount()).id
      const refused = ['', '  ', 'a\nb', 'nul\0', '\u001B[31m', '\uD800', 'a'.repeat(101), 'a\u2028b']
      for (const name of refused) {
        expect(await errorCode(context.catalog.keys.create({ accountId, name, actor }, NOW))).toBe(
          'invalid_key',
        )
      }
      for (const name of ['a'.repeat(100), '\u{1F511}'.repeat(100)]) {
        expect(await errorCode(context.catalog.keys.create({ accountId, name, actor }, NOW))).toBe('none')
      }
    })

    it('are only looked up if the checksum is right, and store their last use once an hour', async () => {
      const { key, row } = await context.catalog.keys.create(
        { accountId: (await createAccount()).id, name: 'x', actor },
        NOW,
      )
      const { catalog, calls } = countCalls(context.catalog)
      for (const text of ['', 'kp_', `${key}0`, key.toLowerCase(), `kp_${'0'.repeat(36)}`, key.slice(1)]) {
        expect(await verifyKey(catalog, text, NOW)).toBeUndefined()
      }
      expect(calls).toEqual({ found: 0, recorded: 0 })
      await Promise.all(Array.from({ length: 50 }, () => verifyKey(catalog, key, later(1))))
      const expectLastUse = async (hours: number): Promise<void> =>
        expect((await catalog.keys.find(row.id))?.last_used_at).toBe(later(hours).toISOString())
      await vi.waitFor(() => expectLastUse(1), PATIENT)
      await verifyKey(catalog, key, later(1.9))
      expect(calls).toEqual({ found: 51, recorded: 1 })
      await verifyKey(catalog, key, later(2))
      expect(calls).toEqual({ found: 52, recorded: 2 })
      await vi.waitFor(() => expectLastUse(2), PATIENT)
      await context.catalog.keys.recordUse('none', NOW.toISOString())
      await context.catalog.keys.revoke(row.id, actor, later(3))
      await expectLastUse(2)
    })

    it('do not appear in errors', async () => {
      const { catalog } = context
      const { key } = await catalog.keys.create(
        { accountId: (await createAccount()).id, name: 'x', actor },
        NOW,
      )
      const calls: readonly (() => Promise<unknown>)[] = [
        () => catalog.keys.create({ accountId: key, name: 'x', actor }, NOW),
        () => catalog.keys.create({ accountId: key, name: `${key}\0`, actor }, NOW),
        () => catalog.keys.create({ accountId: key, name: key.repeat(9), actor }, NOW),
        () => catalog.keys.rotate(key, actor, NOW),
        () => catalog.keys.revoke(key, actor, NOW),
      ]
      const inspectError = (call: () => Promise<unknown>): Promise<string> =>
        call().then(
          () => 'no error',
          (error: unknown) => inspect(error, { depth: 9 }),
        )
      const errors = await Promise.all(calls.map(inspectError))
      await catalog.close()
      const verify = (): Promise<unknown> => verifyKey(catalog, key, NOW)
      errors.push(...(await Promise.all([...calls, verify].map(inspectError))))
      expect(errors).toHaveLength(11)
      expect(errors).not.toContain('no error')
      expect(errors.filter((text) => text.includes(key) || text.includes(hashKey(key)))).toEqual([])
    })
  })
}

function countCalls(catalog: Catalog): { catalog: Catalog; calls: { found: number; recorded: number } } {
  const calls = { found: 0, recorded: 0 }
  const { keys } = catalog
  const counting: Catalog['keys'] = {
    ...keys,
    findBySha256(sha256) {
      calls.found += 1
      return keys.findBySha256(sha256)
    },
    recordUse(id, time) {
      calls.recorded += 1
      return keys.recordUse(id, time)
    },
  }
  return { catalog: { ...catalog, keys: counting }, calls }
}
