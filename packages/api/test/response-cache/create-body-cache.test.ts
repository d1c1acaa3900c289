import { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib, { gzipSync } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import type { BodySource } from '../../src/response-cache/body.ts'
import { createBodyCache } from '../../src/response-cache/body.ts'

const source = (length: number): BodySource => ({
  text: 'ab'.repeat(length / 2),
  type: 'text/plain',
  tag: 't',
  weak: false,
})
const createSource = (length: number) => (): Promise<BodySource> => Promise.resolve(source(length))

it('creates a body once for concurrent callers', async () => {
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

it('keeps no more than the bytes of a body that is a part of a larger buffer', async () => {
  const text = { bytes: Buffer.from('ab'.repeat(1000)), digest: '' }
  expect(text.bytes.buffer.byteLength).toBeGreaterThan(2000)
  const { identity } = await createBodyCache(1_000_000).obtain('a', async () => ({ ...source(0), text }))
  expect(identity.bytes).toEqual(text.bytes)
  expect(identity.bytes.buffer.byteLength).toBe(2000)
})

it('retries after a failure', async () => {
  const cache = createBodyCache(1_000_000)
  await expect(cache.obtain('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect((await cache.obtain('a', createSource(100))).identity.bytes).toHaveLength(100)
})

it.each([
  ['br', 'brotliCompress'],
  ['gzip', 'gzip'],
  ['zstd', 'zstdCompress'],
] as const)('compresses again after a failure: %s', async (encoding, method) => {
  for (const length of [2000, 300_000]) {
    const body = await createBodyCache(10_000_000).obtain('a', createSource(length))
    const fail = (_bytes: unknown, ...rest: unknown[]): void =>
      (rest.at(-1) as (error: Error) => void)(new Error('ENOMEM'))
    const failing = vi.spyOn(zlib, method).mockImplementationOnce(fail)
    syncBuiltinESMExports()
    const both = await Promise.allSettled([body.encode(encoding), body.encode(encoding)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    failing.mockRestore()
    syncBuiltinESMExports()
    const encoded = await body.encode(encoding)
    expect([encoded.encoding, encoded.bytes.length < length]).toEqual([encoding, true])
    expect(body.size()).toBe(length + encoded.bytes.length)
  }
})

it('stays within its bytes, and evicts the least recently used bodies', async () => {
  const cache = createBodyCache(100_000)
  for (let at = 0; at < 30; at++) {
    await cache.obtain(`body-${at}`, createSource(10_000))
    cache.get('body-0')
    expect(cache.bytes()).toBeLessThanOrEqual(100_000)
  }
  expect(cache.get('body-0')).toBeDefined()
  expect(cache.get('body-1')).toBeUndefined()
  expect(cache.get('body-29')).toBeDefined()
})

it('counts the bytes of encodings', async () => {
  const cache = createBodyCache(1_000_000)
  const body = await cache.obtain('a', createSource(100_000))
  const before = cache.bytes()
  const encoded = await body.encode('gzip')
  expect(encoded.encoding).toBe('gzip')
  expect(cache.bytes()).toBe(before + encoded.bytes.length)
  expect(body.encode('gzip')).toBe(encoded)
})

it('returns a body that is too large, and does not cache it', async () => {
  const cache = createBodyCache(100_000)
  expect((await cache.obtain('large', createSource(50_000))).identity.bytes).toHaveLength(50_000)
  expect(cache.bytes()).toBe(0)
})

it('does not count encodings of a body that was evicted', async () => {
  const cache = createBodyCache(20_000)
  const first = await cache.obtain('a', createSource(2000))
  for (let at = 0; at < 10; at++) await cache.obtain(`body-${at}`, createSource(2000))
  expect(cache.get('a')).toBeUndefined()
  const before = cache.bytes()
  expect((await first.encode('gzip')).encoding).toBe('gzip')
  expect(cache.bytes()).toBe(before)
  expect(cache.get('a')).toBeUndefined()
})

it('evicts other bodies when an encoding exceeds the limit', async () => {
  const cache = createBodyCache(100_000)
  const text = writeDenseText(6000, 'x'.repeat(4000))
  const bodies = []
  for (let at = 0; at < 8; at++)
    bodies.push(await cache.obtain(`body-${at}`, () => Promise.resolve({ ...source(0), text })))
  expect(cache.get('body-0')).toBeDefined()
  for (const body of bodies) {
    await body.encode('gzip')
    expect(cache.bytes()).toBeLessThanOrEqual(100_000)
  }
  expect(cache.get('body-7')).toBeDefined()
  expect(cache.get('body-1')).toBeUndefined()
})

it('does not encode bodies under 512 bytes', async () => {
  const cache = createBodyCache(1_000_000)
  expect((await (await cache.obtain('510', createSource(510))).encode('br')).encoding).toBe('identity')
  expect((await (await cache.obtain('512', createSource(512))).encode('br')).encoding).toBe('br')
})

it('does not encode a body that would not shrink', async () => {
  const cache = createBodyCache(1_000_000)
  const text = writeDenseText(1000)
  const body = await cache.obtain('dense', () => Promise.resolve({ ...source(0), text }))
  const before = cache.bytes()
  const encoded = await body.encode('gzip')
  expect(gzipSync(text).length).toBeGreaterThan(Buffer.byteLength(text))
  expect(encoded).toBe(body.identity)
  expect(cache.bytes()).toBe(before)
})

/** Returns text that gzip cannot shrink: pseudo-random characters of one and two bytes, so that nearly all byte values occur. */
function writeDenseText(length: number, end = ''): string {
  const characters = Array.from({ length }, (_, at) => {
    const digest = createHash('sha256').update(String(at)).digest()
    return String.fromCharCode(digest[0]! < 190 ? digest[1]! & 127 : 128 + (digest.readUInt16BE(2) % 1920))
  })
  return characters.join('') + end
}

it('keeps no memory besides the bytes of a body and its encodings', async () => {
  const cache = createBodyCache(100_000)
  const body = await cache.obtain('a', createSource(1260))
  const { bytes } = await body.encode('br')
  expect([body.identity.bytes.buffer.byteLength, bytes.buffer.byteLength]).toEqual([1260, bytes.length])
  expect(bytes.length).toBeLessThan(200)
})
