import { createKeyText, hashKey, isKeyText } from '../../src/accounts/issue-key.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62 = fc.constantFrom(...Array.from(ALPHABET))
const key = fc.infiniteStream(fc.nat(255)).map((bytes) => createKeyText((size) => takeBytes(bytes, size)))

describe('isKeyText', () => {
  // Checksums computed with zlib.crc32 of Python.
  it.each([
    'kp_0000000000000000000000000000002C8GjS',
    'kp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0uCPlr',
    'kp_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz4IlJEz',
    'kp_02468ACEGIKMOQSUWYacegikmoqsuw4TCVKV',
    'kp_drrYjTdd6emrCGjTGYv3HF2s7u0rih00gEpD',
  ])('accepts %s', (text) => {
    expect(isKeyText(text)).toBe(true)
  })

  it.each([
    '',
    'kp_',
    'kp_0000000000000000000000000000002C8Gj',
    'kp_0000000000000000000000000000002C8GjS ',
    'kp_0000000000000000000000000000002C8GjS\n',
    'KP_0000000000000000000000000000002C8GjS',
    'sk_0000000000000000000000000000002C8GjS',
    'kp_0000000000000000000000000000002c8gjs',
    'kp_00000000000000000000000000000\u06602C8GjS',
    `kp_${'0'.repeat(1_000_000)}`,
  ])('rejects %.50j', (text) => {
    expect(isKeyText(text)).toBe(false)
  })

  it('detects every wrong digit, and any two swapped neighbours', () => {
    fc.assert(
      fc.property(key, fc.nat(35), base62, (text, at, digit) => {
        const digits = Array.from(text)
        const place = at + 3
        expect(isKeyText(digits.with(place, digit).join(''))).toBe(digits[place] === digit)
        if (place === digits.length - 1) return
        const [one, two] = [digits[place]!, digits[place + 1]!]
        const swapped = digits
          .with(place, two)
          .with(place + 1, one)
          .join('')
        expect(isKeyText(swapped)).toBe(one === two)
      }),
      { numRuns: 300 },
    )
  })
})

describe('createKeyText', () => {
  it('creates keys of base62 digits from any random bytes', () => {
    fc.assert(
      fc.property(key, (text) => {
        expect(text).toMatch(/^kp_[0-9A-Za-z]{36}$/)
        expect(isKeyText(text)).toBe(true)
      }),
    )
  })

  it('maps equally many bytes to each digit, and skips the remaining bytes', () => {
    const bytes = Array.from({ length: 300 }, (_, at) => 255 - (at % 256))
    expect(createKeyText((size) => Uint8Array.from(bytes.splice(0, size))).slice(3, 33)).toBe(
      'zyxwvutsrqponmlkjihgfedcbaZYXW',
    )
  })

  it('creates a different key each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => createKeyText())).size).toBe(1000)
  })
})

describe('hashKey', () => {
  it('is SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

function takeBytes(bytes: fc.Stream<number>, size: number): Uint8Array {
  return Uint8Array.from(bytes.take(size))
}
