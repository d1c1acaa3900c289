import { createHash } from 'node:crypto'
import { digestSource, readSource } from '@packs/publisher/build'
import { describe, expect, it } from 'vitest'

describe('digestSource', () => {
  it('is the SHA-256 of the digest of the bytes and the settings', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    const { sourceDigest } = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md' })
    expect(sourceDigest).toBe(sha256(JSON.stringify([sha256('# A\n'), 'glossary-1', false, 'o200k_base'])))
    const settings = { scheme: 'none', code: false, tokenizer: 'o200k_base' }
    expect(digestSource(Buffer.from('# A\n'), settings)).not.toBe(sourceDigest)
  })
})
