import { createHash } from 'node:crypto'
import type { SourceDefaults } from '@packs/codec/pack'
import { readSource } from '@packs/publisher'
import { digestSource } from '../../src/version-builder/read-source.ts'
import { describe, expect, it } from 'vitest'

/** SHA-256 of `["SHA-256 of # A","minify-1",true,"o200k_base",GIVEN]`, computed with another program. */
const WITH_FIELDS = 'c819c48c5260670ebbbeffa47320c155ef47a18797e439f26ed9230772d37f33'
const WITH_GLOSSARY = 'a0fb05a965bc1cadd91db2d9f3037417e7500b0bd0b0ca6ccb22546603131dcb'

describe('digestSource', () => {
  it('is the SHA-256 of the digest of the bytes and the settings', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    const { sourceDigest } = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md' })
    expect(sourceDigest).toBe(sha256(JSON.stringify([sha256('# A\n'), 'minify-1', true, 'o200k_base'])))
    const settings = { scheme: 'none', code: true, tokenizer: 'o200k_base' }
    expect(digestSource(Buffer.from('# A\n'), settings)).not.toBe(sourceDigest)
  })

  it('is the digest that versions without source defaults have recorded', () => {
    const text = '---\nslug: tls\ntitle: TLS\ncompression: dense-2\n---\n# TLS\n'
    const { sourceDigest, source } = readSource({
      bytes: Buffer.from(text),
      path: 'docs/tls.md',
      defaults: {},
    })
    expect(source.defaults).toBeUndefined()
    expect(sourceDigest).toBe('4bb9c194ee72a7879402ae215c1360d361380b2e1dfad77bc17eea7010499b2a')
  })

  it('covers the source defaults that took effect, in any order of their keys', () => {
    const digest = (text: string, given: SourceDefaults): string =>
      readSource({ bytes: Buffer.from(text), path: 'a.md', defaults: given }).sourceDigest
    const plain = digest('# A\n', {})
    expect(digest('# A\n', { slug: 'guides-a', domain: 'Guides' })).toBe(WITH_FIELDS)
    expect(digest('# A\n', { domain: 'Guides', slug: 'guides-a' })).toBe(WITH_FIELDS)
    expect(digest('# A\n', { slug: 'guides-b', domain: 'Guides' })).not.toBe(WITH_FIELDS)
    expect(digest('# A\n', { glossary: [{ expansion: 'a long phrase', term: 'ALP' }] })).toBe(WITH_GLOSSARY)
    expect(digest('# A\n', { glossary: [{ term: 'ALP', expansion: 'a long phrase' }] })).toBe(WITH_GLOSSARY)
    expect(new Set([plain, WITH_FIELDS, WITH_GLOSSARY]).size).toBe(3)
    const named = '---\nslug: own\n---\n# A\n'
    expect(digest(named, { slug: 'guides-a' })).toBe(digest(named, {}))
  })
})
