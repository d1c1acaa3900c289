import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { derivePackId, digestText, digestPack, sealPack } from '../../src/pack/digests.ts'
import { PackError } from '../../src/pack/pack-error.ts'
import { computeSavingsPercent, packFields, serializePack } from '../../src/pack/pack-fields.ts'
import { type Pack, packSchema } from '../../src/pack/pack-schema.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

const catchError = (input: unknown): PackError => {
  try {
    parsePack(input)
  } catch (error) {
    if (error instanceof PackError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('pack.schema.json equals the schema of the code; generate it again if this fails', () => {
  const file = readFileSync(new URL('../../pack.schema.json', import.meta.url), 'utf8')
  const description = 'A knowledge pack, format packs/1 or packs/2'
  const schema = packSchema.toJSONSchema({ io: 'input' })
  expect(JSON.parse(file)).toEqual({ title: 'Pack', description, ...schema })
})

test('the interface has its twelve fields', () => {
  // prettier-ignore
  const twelve = [
    'id', 'title', 'domain', 'subdomain', 'version', 'compression', 'token_count', 'uncompressed_estimate',
    'savings_pct', 'rosetta', 'content', 'difficulty',
  ]
  expect(packFields).toEqual(expect.arrayContaining(twelve))
  expect(packFields).toHaveLength(36)
})

describe('ids and digests', () => {
  test.each([
    ['tls-basics', 'pk_cnn6knb7cfs24erc6k0namqbt5'],
    ['a', 'pk_sabr24pa3eywnyp266ssm8yw9p'],
    ['x-1', 'pk_w3s6rq4jenv6259zjgf9t3k5xk'],
  ])('the id of %s', (slug, id) => {
    expect(derivePackId(slug)).toBe(id)
  })

  test('a body is digested as UTF-8', () => {
    expect(digestText('é\n')).toBe('edd3a863872a04239eb29ad4bc12fc892b3d4ae57cc7e786a3697816f8e141c2')
  })

  test('the digest of a pack omits itself, the order of keys, and unknown keys', () => {
    const { pack_digest: digest, ...rest } = samplePack
    expect(digestPack(rest)).toBe(digest)
    expect(digestPack(samplePack)).toBe(digest)
    const shuffled = Object.fromEntries(Object.entries(samplePack).toReversed()) as unknown as Pack
    expect(digestPack({ ...shuffled, created_at: '2026-01-01' } as Pack)).toBe(digest)
    expect(sealPack(rest)).toEqual(samplePack)
  })

  const undigested = ['pack_digest', 'signatures', 'links', 'patch']
  const digested = packFields.filter((field) => !undigested.includes(field))

  test.each(digested)('the digest depends on %s', (field) => {
    const value = samplePack[field]
    const changed = { ...samplePack, [field]: typeof value === 'number' ? value + 1 : 'another value' }
    expect(digestPack(changed)).not.toBe(samplePack.pack_digest)
  })
})

describe('parsePack', () => {
  test('reads what serializePack writes, as text, bytes and value', () => {
    const text = serializePack(samplePack)
    expect(text.startsWith('{\n  "format": "packs/1",\n  "id": "pk_cnn')).toBe(true)
    expect(text.endsWith('\n}\n')).toBe(true)
    for (const input of [text, `\uFEFF${text}`, text.trimEnd()]) {
      expect(parsePack(new TextEncoder().encode(input))).toEqual(samplePack)
    }
    expect(parsePack(text)).toEqual(samplePack)
    expect(parsePack({ ...samplePack, published_at: 1 })).toEqual(samplePack)
    const shuffled = Object.fromEntries(Object.entries(samplePack).toReversed()) as unknown as Pack
    expect(serializePack(shuffled)).toBe(text)
  })

  test('every text survives', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replace(/\p{Cs}/gu, ''))
    fc.assert(
      fc.property(text, text, (content, preview) => {
        const pack = { ...samplePack, content, preview_content: preview }
        expect(parsePack(new TextEncoder().encode(serializePack(pack)))).toEqual(pack)
      }),
    )
  })

  test.each([
    ['no JSON', '{"format": ', 'invalid_json', /^The pack is not valid JSON: Unexpected end of JSON input$/],
    ['a text', 'A secret recipe', 'invalid_json', /^The pack is not valid JSON: Unexpected token 'A'$/],
    [
      'a cut text',
      `${'["a",'.repeat(40)} secret ${'["a",'.repeat(40)}`,
      'invalid_json',
      /^The pack is not valid JSON: Unexpected token 's'$/,
    ],
    ['no object', '[]', 'invalid_pack', /must be of type object; found an array/],
    ['null', null, 'invalid_pack', /must be of type object; found null/],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'invalid_utf8', /not valid UTF-8/],
    ['keys of every object', '{"__proto__": {"format": "packs/1"}}', 'invalid_pack', /format/],
    ['nesting without end', `${'['.repeat(200_000)}`, 'invalid_json', /not valid JSON/],
  ])('refuses %s', (_name, input, code, message) => {
    const error = catchError(input)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.hint).not.toBe('')
    expect(error.message.length).toBeLessThan(500)
  })

  test.each<[string, object, RegExp]>([
    [
      'another format',
      { format: 'packs/3' },
      /^This is not a pack: format must be one of packs\/1, packs\/2; found "packs\/3"$/,
    ],
    ['a count as text', { token_count: '1' }, /token_count must be of type number; found "1"/],
    ['a negative count', { token_count: -1 }, /token_count must be at least 0; found -1/],
    ['half a token', { token_count: 1.5 }, /token_count/],
    ['no number', { savings_pct: Number.NaN }, /savings_pct/],
    ['a slug with capitals', { slug: 'TLS' }, /slug must have the form .*; found "TLS"/],
    ['a version of two parts', { version: '1.0' }, /version must have the form .*; found "1.0"/],
    ['a lone surrogate', { content: 'a\uD800' }, /content must hold no lone surrogate/],
    [
      'an unknown difficulty',
      { difficulty: 'hard' },
      /difficulty must be one of beginner, intermediate, advanced, expert/,
    ],
  ])('refuses %s', (_name, changes, message) => {
    const { code, message: found, hint } = catchError({ ...samplePack, ...changes })
    expect([code, found, hint !== '']).toEqual(['invalid_pack', expect.stringMatching(message), true])
  })

  test('counts a title in characters', () => {
    expect(parsePack({ ...samplePack, title: '𝒳'.repeat(300) }).title).toHaveLength(600)
    expect(catchError({ ...samplePack, title: '𝒳'.repeat(301) }).message).toContain(
      'title must be at most 300 characters long',
    )
  })

  test('collects every error with its field', () => {
    const error = catchError({ ...samplePack, token_count: 'x', content: 1 })
    expect(error.issues.map(({ path }) => path)).toEqual(['token_count', 'content'])
    expect(error.message).toContain('and 1 more')
  })

  test('refuses a document above the maximum without reading it', () => {
    expect(catchError('x'.repeat(134_217_729)).code).toBe('pack_too_large')
  })

  test('leaves the prototype of objects alone', () => {
    const pack = parsePack(serializePack(samplePack).replace('{', '{"__proto__": {"polluted": true},'))
    expect(Object.getPrototypeOf(pack)).toBe(Object.prototype)
    expect(pack).not.toHaveProperty('polluted')
  })
})

describe('computeSavingsPercent', () => {
  test.each([
    [935, 1000, 6.5],
    [0, 10, 100],
    [10, 10, 0],
    [2, 3, 33.33],
    [1, 3, 66.67],
    [4, 3, -33.33],
    [5, 3, -66.67],
    [1, 16, 93.75],
    [20_001, 20_000, -0.01],
    [19_999, 20_000, 0.01],
    [200_001, 200_000, 0],
    [0, 0, 0],
    [5, 0, 0],
    [16_777_215, 16_777_216, 0],
    [30, 7, -328.57],
  ])('%i paid against %i saves %d %%', (paid, full, percent) => {
    expect(Object.is(computeSavingsPercent(paid, full), percent)).toBe(true)
  })

  test('is the nearest hundredth, halves away from zero, by whole numbers', () => {
    const count = fc.integer({ min: 0, max: 16_777_216 })
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 16_777_216 }), (paid, full) => {
        const percent = computeSavingsPercent(paid, full)
        const [whole = '', decimals = ''] = percent.toFixed(2).split('.')
        const hundredths = BigInt(`${whole.replace('-', '')}${decimals}`)
        const saved = BigInt(Math.abs(full - paid)) * 10_000n
        const distance = saved - hundredths * BigInt(full)
        expect(2n * distance < BigInt(full)).toBe(true)
        expect(2n * distance >= -BigInt(full)).toBe(true)
        expect(Object.is(percent, -0)).toBe(false)
        expect(Number(percent.toFixed(2))).toBe(percent)
      }),
    )
  })
})
