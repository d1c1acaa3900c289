import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateLimiter } from '../../src/rate-limits/create-rate-limiter.ts'

const at = (seconds: number): Date => new Date(1_772_366_400_000 + seconds * 1000)

describe('createRateLimiter', () => {
  it('lets two of a minute pass and returns how long the third has to wait', () => {
    const limiter = createRateLimiter({ limit: 2, windowMs: 60_000 })
    expect([0, 10, 20, 59, 60].map((second) => limiter.take('a', at(second)))).toEqual([0, 0, 40, 1, 0])
  })

  it('counts each name by itself', () => {
    const limiter = createRateLimiter({ limit: 1, windowMs: 60_000 })
    expect([limiter.take('a', at(0)), limiter.take('b', at(0)), limiter.take('a', at(0))]).toEqual([0, 0, 60])
  })

  it('begins a new window when the clock was put back', () => {
    const limiter = createRateLimiter({ limit: 1, windowMs: 60_000 })
    limiter.take('a', at(0))
    expect([limiter.take('a', at(-1)), limiter.take('a', at(58))]).toEqual([0, 1])
  })

  it('forgets the oldest names in a flood and no others', () => {
    const limiter = createRateLimiter({ limit: 1, windowMs: 60_000 })
    for (let name = 0; name <= 100_000; name++) limiter.take(`${name}`, at(0))
    expect(limiter.take('100000', at(1))).toBe(59)
    expect(limiter.take('1', at(1))).toBe(59)
    expect(limiter.take('0', at(1))).toBe(0)
  })

  it('never lets more pass in a window than it may', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 }), (pauses) => {
        const limiter = createRateLimiter({ limit: 3, windowMs: 60_000 })
        const passed: number[] = []
        let time = 0
        for (const pause of pauses) {
          time += pause
          if (limiter.take('a', at(time)) === 0) passed.push(time)
        }
        // Windows begin with a count, so that four that pass span one window at least.
        expect(
          passed.every((time, index) => index % 3 !== 0 || index < 3 || time - passed[index - 3]! >= 60),
        ).toBe(true)
      }),
    )
  })
})
