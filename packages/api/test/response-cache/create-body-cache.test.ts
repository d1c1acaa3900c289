import { describe, expect, it } from 'vitest'
import type { BodySource } from '../../src/response-cache/body.ts'
import { createBodyCache } from '../../src/response-cache/create-body-cache.ts'

const source = (length: number): BodySource => ({
  text: 'ab'.repeat(length / 2),
  type: 'text/plain',
  tag: 't',
  weak: false,
})
const give = (length: number) => (): Promise<BodySource> => Promise.resolve(source(length))

describe('createBodyCache', () => {
  it('makes a body once, however many ask at the same time', async () => {
    const cache = createBodyCache(1_000_000)
    let made = 0
    const make = (): Promise<BodySource> => {
      made += 1
      return Promise.resolve(source(100))
    }
    const bodies = await Promise.all(Array.from({ length: 20 }, () => cache.obtain('a', make)))
    expect(new Set(bodies).size).toBe(1)
    expect(await cache.obtain('a', make)).toBe(bodies[0])
    expect(made).toBe(1)
  })

  it('asks again after a failure', async () => {
    const cache = createBodyCache(1_000_000)
    await expect(cache.obtain('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect((await cache.obtain('a', give(100))).identity.bytes).toHaveLength(100)
  })

  it('keeps as many bytes as it may, those used last', async () => {
    const cache = createBodyCache(100_000)
    for (let at = 0; at < 30; at++) {
      await cache.obtain(`body-${at}`, give(10_000))
      cache.get('body-0')
      expect(cache.bytes()).toBeLessThanOrEqual(100_000)
    }
    expect(cache.get('body-0')).toBeDefined()
    expect(cache.get('body-1')).toBeUndefined()
    expect(cache.get('body-29')).toBeDefined()
  })

  it('counts encodings too', async () => {
    const cache = createBodyCache(1_000_000)
    const body = await cache.obtain('a', give(100_000))
    const before = cache.bytes()
    const encoded = await body.encode('gzip')
    expect(encoded.encoding).toBe('gzip')
    expect(cache.bytes()).toBe(before + encoded.bytes.length)
    expect(body.encode('gzip')).toBe(encoded)
  })

  it('gives a body that is too large, and does not keep it', async () => {
    const cache = createBodyCache(100_000)
    expect((await cache.obtain('large', give(50_000))).identity.bytes).toHaveLength(50_000)
    expect(cache.bytes()).toBe(0)
  })

  it('sends small bodies, and those that do not shrink, as they are', async () => {
    const cache = createBodyCache(1_000_000)
    expect((await (await cache.obtain('small', give(500))).encode('br')).encoding).toBe('identity')
    const text = Array.from({ length: 2000 }, (_, at) =>
      String.fromCharCode(33 + ((at * at * 7919) % 94)),
    ).join('')
    const body = await cache.obtain('dense', () => Promise.resolve({ ...source(0), text }))
    const encoded = await body.encode('gzip')
    expect(encoded.bytes.length).toBeLessThanOrEqual(2000)
  })
})
