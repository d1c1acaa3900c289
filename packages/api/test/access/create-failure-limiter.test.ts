import { describe, expect, it } from 'vitest'
import { createFailureLimiter } from '../../src/access/create-failure-limiter.ts'

describe('createFailureLimiter', () => {
  it('counts a minute from the first failure', () => {
    const limiter = createFailureLimiter(2)
    limiter.fail('192.0.2.1', 1000)
    expect(limiter.wait('192.0.2.1', 1000)).toBe(0)
    limiter.fail('192.0.2.1', 30_000)
    expect(limiter.wait('192.0.2.1', 30_000)).toBe(31)
    expect(limiter.wait('192.0.2.1', 60_999)).toBe(1)
    expect(limiter.wait('192.0.2.1', 61_000)).toBe(0)
    limiter.fail('192.0.2.1', 61_000)
    expect(limiter.wait('192.0.2.1', 61_000)).toBe(0)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:1::', true],
    ['::1', '::2', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('takes %s and %s for one client: %s', (first, second, isOne) => {
    const limiter = createFailureLimiter(1)
    limiter.fail(first, 0)
    expect(limiter.wait(second, 0) > 0).toBe(isOne)
  })

  it('forgets the oldest addresses, so that many cannot fill the memory', () => {
    const limiter = createFailureLimiter(1)
    for (let count = 0; count <= 100_000; count++) limiter.fail(`192.0.2.${count}`, 0)
    expect(limiter.wait('192.0.2.0', 0)).toBe(0)
    expect(limiter.wait('192.0.2.1', 0)).toBe(60)
    expect(limiter.wait('192.0.2.100000', 0)).toBe(60)
  })
})
