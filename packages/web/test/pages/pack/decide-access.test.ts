import type { QuotaState } from '@packs/catalog'
import { expect, it } from 'vitest'
import { describeExceededQuota } from '../../../src/pages/pack/open-pack.ts'

const now = new Date('2026-03-01T22:30:00.000Z')
const spent: QuotaState = {
  limit: 1000,
  used: 1000,
  remaining: 0,
  resetAt: new Date('2026-03-02T00:00:00.000Z'),
  allowed: false,
}

it('names the time until the reset if the quota is used up', () => {
  expect(describeExceededQuota(spent, now)).toEqual({
    reason: 'Your account has used up today’s 1,000 requests',
    hint: 'The quota resets in 1\u00a0h\u00a030\u00a0min.',
  })
})

it('asks to try again soon if requests cannot be counted', () => {
  const { reason, hint } = describeExceededQuota({ ...spent, used: 100, isFallback: true }, now)
  expect(reason).toBe(
    'Requests cannot be counted at the moment, and the part of today’s 1,000 requests available meanwhile is used up',
  )
  expect(hint).toBe('Try again in a minute.')
})
