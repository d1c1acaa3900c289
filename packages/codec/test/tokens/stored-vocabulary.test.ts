import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { buildVocabulary } from '../../src/tokens/vocabulary/build-vocabulary.ts'
import {
  parseVocabulary,
  serializeVocabulary,
  VOCABULARY_VERSION,
  hashBytes,
  NO_RANK,
  type Vocabulary,
} from '../../src/tokens/vocabulary/stored-vocabulary.ts'

const ranks = ['a', 'b', 'ab', [0xff], '—', ' 中', '\ufeff', [0xe4, 0xb8], undefined, 'abab']
const built = buildVocabulary(ranks)
const stored = serializeVocabulary('o200k_base', built)

describe('a stored vocabulary', () => {
  it('finds what it found before', () => {
    for (const offset of [0, 1, 4]) {
      const copy = new Uint8Array(stored.length + offset).subarray(offset)
      copy.set(stored)
      const restored = parseVocabulary('o200k_base', copy)!
      expect(
        ['a', 'ab', '—', ' 中', '\ufeff', 'abab', 'ba', 'b—'].map((text) => rankOf(restored, text)),
      ).toEqual([0, 2, 4, 5, 6, 9, NO_RANK, NO_RANK])
      expect(restored.tables).toEqual(built.tables)
      expect(restored.byteRanks).toEqual(built.byteRanks)
      expect(restored.pairRanks).toEqual(built.pairRanks)
      expect(restored.lengthOf(7)).toBe(2)
    }
  })

  it('is read from memory that threads share', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(stored.length))
    shared.set(stored)
    expect(rankOf(parseVocabulary('o200k_base', shared)!, '—')).toBe(4)
  })

  it('is refused after any bit of it has changed', () => {
    for (let at = 0; at < stored.length; at += at < 200 || at > stored.length - 60 ? 1 : 9_973) {
      const damaged = stored.slice()
      damaged[at]! ^= 1 << (at % 8)
      expect(parseVocabulary('o200k_base', damaged), `byte ${at}`).toBeUndefined()
    }
  })

  it('is refused if it is cut, longer, empty or of another name', () => {
    for (const length of [0, 3, 64, 96, 100, stored.length - 4, stored.length - 1])
      expect(parseVocabulary('o200k_base', stored.subarray(0, length))).toBeUndefined()
    const longer = new Uint8Array(stored.length + 4)
    longer.set(stored)
    expect(parseVocabulary('o200k_base', longer)).toBeUndefined()
    expect(parseVocabulary('cl100k_base', stored)).toBeUndefined()
  })

  it('names the version of gpt-tokenizer in use', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
    expect(VOCABULARY_VERSION.split('-')[1]).toBe(dependencies['gpt-tokenizer'])
  })
})

describe('loadTokenizer with a stored vocabulary', () => {
  const text = "The vocabulary — don't read it twice: 中文, \ufeff🙂 and\r\n  12345.\n"

  beforeEach(() => vi.resetModules())

  it.each(['o200k_base', 'cl100k_base'] as const)('counts %s as without it', async (name) => {
    const { loadTokenizer } = await import('../../src/tokens/load-tokenizer.ts')
    const first = await loadTokenizer(name)
    const bytes = first.serializeVocabulary()
    vi.resetModules()
    const { getTokenizer } = await import('../../src/tokens/get-tokenizer.ts')
    const { loadTokenizer: loadAgain } = await import('../../src/tokens/load-tokenizer.ts')
    const second = await loadAgain(name, { vocabulary: bytes })
    expect(second).not.toBe(first)
    expect(getTokenizer(name)).toBe(second)
    expect(await loadAgain(name)).toBe(second)
    expect(second.encode(text)).toEqual(first.encode(text))
    expect(Buffer.compare(second.serializeVocabulary(), bytes)).toBe(0)
  })

  it('keeps it when the compressor is loaded later', async () => {
    const { loadTokenizer } = await import('../../src/tokens/load-tokenizer.ts')
    const bytes = (await loadTokenizer('o200k_base')).serializeVocabulary()
    vi.resetModules()
    const { compress, loadTokenizer: loadAgain } = await import('../../src/compress.ts')
    const restored = await loadAgain('o200k_base', { vocabulary: bytes })
    expect((await compress('one two')).tokens.source).toBe(2)
    expect(await loadAgain('o200k_base')).toBe(restored)
  })

  it('rejects a damaged one, and loads without it then', async () => {
    const { getTokenizer } = await import('../../src/tokens/get-tokenizer.ts')
    const { loadTokenizer } = await import('../../src/tokens/load-tokenizer.ts')
    await expect(loadTokenizer('o200k_base', { vocabulary: stored.subarray(4) })).rejects.toThrow(
      expect.objectContaining({
        name: 'TokenError',
        code: 'invalid_vocabulary',
        hint: expect.stringContaining('serializeVocabulary'),
      }),
    )
    expect(() => getTokenizer('o200k_base')).toThrow(
      expect.objectContaining({ code: 'tokenizer_not_loaded' }),
    )
    const tokenizer = await loadTokenizer('o200k_base')
    expect(tokenizer.countTokens('hello world')).toBe(2)
    expect(await loadTokenizer('o200k_base', { vocabulary: stored.subarray(4) })).toBe(tokenizer)
  })
})

function rankOf(vocabulary: Vocabulary, text: string): number {
  const bytes = new TextEncoder().encode(text)
  return vocabulary.find(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length))
}
