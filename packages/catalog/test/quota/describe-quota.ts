import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Account, Quota } from '@packs/catalog'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'
import { makeAccount } from '../../../test-kit/test/make-version.ts'
import { createQuotaCommands, type QuotaReplicas } from './quota-commands.ts'

const PROGRAM = fileURLToPath(new URL('../processes/take-quota.ts', import.meta.url))
const NOW = new Date('2026-03-01T23:59:59.999Z')

/** A store of request counts, for tests. */
export interface TestQuotaStore {
  readonly url: string
  /** Opens a replica with separate connections. */
  open(): Promise<Quota>
}

/** Contract tests of a quota, run on one kind of store. */
export function describeQuota(name: string, start: () => Promise<TestQuotaStore>): void {
  describe(`the quota in ${name}`, async () => {
    const store = await start()
    const replicas: QuotaReplicas = [await store.open(), await store.open()]
    for (const replica of replicas) closeLater(() => replica.close())
    let accounts = 0
    const createAccount = (change: Partial<Account> = {}): Account =>
      makeAccount({ id: `ac_${++accounts}`, ...change })

    it('grants exactly ten of 200 concurrent requests to two replicas', async () => {
      const account = createAccount()
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, at) => replicas[at % 2 === 0 ? 0 : 1].take(account, NOW)),
      )
      const granted = taken.filter(({ allowed }) => allowed)
      expect(granted.map(({ used }) => used).toSorted((a, b) => a - b)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ])
      expect(granted.every(({ used, remaining }) => used + remaining === 10)).toBe(true)
      const spent = { limit: 10, used: 10, remaining: 0, resetAt: new Date('2026-03-02T00:00:00.000Z') }
      expect(await replicas[1].peek(account, NOW)).toEqual({ ...spent, allowed: false })
      expect(taken.filter(({ allowed }) => !allowed)).toHaveLength(190)
    })

    it('grants exactly ten of 200 requests of two processes', async () => {
      const { id } = createAccount()
      const children = [1, 2].map(() =>
        spawn(process.execPath, ['-C', 'source', PROGRAM, store.url, id, NOW.toISOString(), '100'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      )
      const granted = await Promise.all(
        children.map(async (child) => {
          const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
          expect(status).toBe(0)
          return Number(output)
        }),
      )
      expect(granted[0]! + granted[1]!).toBe(10)
    })

    it('counts each account separately, charges nothing for a peek, and resets at 00:00 UTC', async () => {
      const [one, two] = [createAccount({ daily: 2 }), createAccount({ tier: 'pro' })]
      const [quota] = replicas
      const take = async (account: Account, now = NOW): Promise<[boolean, number]> => {
        const { allowed, used } = await quota.take(account, now)
        return [allowed, used]
      }
      expect(await quota.peek(one, NOW)).toMatchObject({ limit: 2, used: 0, remaining: 2, allowed: true })
      expect([await take(one), await take(one), await take(one)]).toEqual([
        [true, 1],
        [true, 2],
        [false, 2],
      ])
      expect(await quota.take(two, NOW)).toMatchObject({ limit: 1000, used: 1, remaining: 999 })
      expect(await take(one, new Date('2026-03-02T00:00:00.000Z'))).toEqual([true, 1])
      expect(await take({ ...one, daily: 0 })).toEqual([false, 2])
      expect(await take({ ...one, daily: 1 })).toEqual([false, 2])
      expect(await take({ ...one, daily: 3 })).toEqual([true, 3])
      expect(await take(createAccount({ daily: 0 }))).toEqual([false, 0])
    })

    it('charges several requests together or not at all, whatever is charged at the same time', async () => {
      const account = createAccount({ daily: 100 })
      const sizes = Array.from({ length: 120 }, (_, at) => [1, 7, 3, 50, 2, 11][at % 6]!)
      const taken = await Promise.all(
        sizes.map((size, at) => replicas[at % 4 < 2 ? 0 : 1].take(account, NOW, size)),
      )
      const granted = sizes.filter((_, at) => taken[at]!.allowed)
      const used = granted.reduce((sum, size) => sum + size, 0)
      expect(await replicas[0].peek(account, NOW)).toMatchObject({ used, remaining: 100 - used })
      expect(used).toBeLessThanOrEqual(100)
      expect(taken.every((state) => state.used <= used)).toBe(true)
      // No smaller charge was rejected while it fitted.
      expect(await replicas[1].take(account, NOW, 101 - used)).toMatchObject({ used, allowed: false })
      expect((await replicas[1].take(account, NOW, 100 - used || 1)).allowed).toBe(used < 100)
    })

    it('rejects a charge that is above the limit, and grants what the limit still leaves', async () => {
      const account = createAccount({ daily: 5 })
      const [quota] = replicas
      expect(await quota.take(account, NOW, 6)).toMatchObject({ used: 0, remaining: 5, allowed: false })
      expect(await quota.take(account, NOW, 3)).toMatchObject({ used: 3, remaining: 2, allowed: true })
      expect(await quota.take(account, NOW, 3)).toMatchObject({ used: 3, remaining: 2, allowed: false })
      expect(await quota.take(account, NOW, 2)).toMatchObject({ used: 5, remaining: 0, allowed: true })
    })

    it('agrees with a model for random commands', async () => {
      await fc.assert(
        fc.asyncProperty(createQuotaCommands(), async (commands) => {
          const prefix = `run_${++accounts}`
          const model = { prefix, days: new Map(), changes: new Map(), now: NOW.getTime() }
          await fc.asyncModelRun(() => ({ model, real: replicas }), commands)
        }),
        { numRuns: countRuns(10) },
      )
    })
  })
}
