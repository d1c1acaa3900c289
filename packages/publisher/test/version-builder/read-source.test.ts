import { createHash } from 'node:crypto'
import type { SourceDefaults } from '@packs/codec/pack'
import { readSource } from '@packs/publisher'
import { digestSource } from '../../src/version-builder/read-source.ts'
import { describe, expect, it } from 'vitest'

/** SHA-256 of `["SHA-256 of # A","glossary-1",false,"o200k_base",GIVEN]`, computed with another program. */
const WITH_FIELDS = 'cbbe8e2672402fc9bbfd1f73797b14803dc15a46ebb71456f0b75ca9c3e923d8'
const WITH_GLOSSARY = 'bceb0ec9512637ea0c44c3285631094b782b78f2f64b7ee4d5880e7b94e27fd2'

describe('digestSource', () => {
  it('is the SHA-256 of the digest of the bytes and the settings', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    const { sourceDigest } = readSource({ bytes: Buffer.from('# A\n'), path: 'a.md' })
    expect(sourceDigest).toBe(sha256(JSON.stringify([sha256('# A\n'), 'glossary-1', false, 'o200k_base'])))
    const settings = { scheme: 'none', code: false, tokenizer: 'o200k_base' }
    expect(digestSource(Buffer.from('# A\n'), settings)).not.toBe(sourceDigest)
  })

  it('is the digest that versions without source defaults have recorded', () => {
    const text = '---\nslug: tls\ntitle: TLS\ncompression: dense-1\n---\n# TLS\n'
    const { sourceDigest, source } = readSource({
      bytes: Buffer.from(text),
      path: 'docs/tls.md',
      defaults: {},
    })
    expect(source.defaults).toBeUndefined()
    expect(sourceDigest).toBe('f4d9acb41842c44c029b06c62ed807a5c858611edf2ad16ab5ac6f4db8d9f696')
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
