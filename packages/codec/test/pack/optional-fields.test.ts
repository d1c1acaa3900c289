import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/pack/canonical-json.ts'
import { checkPack } from '../../src/pack/check-pack.ts'
import { digestPack, sealPack } from '../../src/pack/digests.ts'
import { PackError } from '../../src/pack/pack-error.ts'
import { packFields, serializeCanonical, serializePack } from '../../src/pack/pack-fields.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

const OPTIONAL = ['description', 'tags', 'metadata', 'glossary', 'code', 'front_matter'] as const

const metadata = JSON.parse(
  '{"weight": 10, "10": "ten", "9": "nine", "b": {"z": 1, "a": [{"y": 1, "x": null}]}, "__proto__": {"a": true},' +
    '"\\ufb33": "after", "\\ud83d\\ude00": "before", "n": 1e21, "m": 1e-7, "f": 1.5, "€": "\\"\\\\/\\u2028\\u007f"}',
) as JsonObject
const { pack_digest: _, ...draft } = samplePack
const full = sealPack({
  ...draft,
  description: 'How certificates are logged.',
  tags: ['tls', 'web security'],
  metadata,
  front_matter: '\uFEFF---\r\ntitle: TLS\r\n---\r\n',
})

const rules = [
  { expansion: 'certificate transparency log', term: 'CTL' },
  { expansion: 'never “this”\n', never: true },
  { expansion: 'public' },
]
const withWishes = sealPack({ ...draft, glossary: rules, code: true })
const all = sealPack({ ...full, glossary: rules, code: true })

test('the digest of a pack with a glossary is that of RFC 8785, computed by another program', () => {
  expect(withWishes.pack_digest).toBe('598e1babb00bdfb980a1b6c6f14a1c71b03c246821704149f0cc1db8af8f36af')
})

describe('a pack with all optional fields', () => {
  test('its digest is that of RFC 8785, computed by another program', () => {
    expect(full.pack_digest).toBe('7fc8b6543c9f3231d077e641764ee27ddb937261a224c3536f8df410dc2151c0')
    expect(serializeCanonical(full)).toContain(
      '"metadata":{"10":"ten","9":"nine","__proto__":{"a":true},"b":{"a":[{"x":null,"y":1}],"z":1},"f":1.5,"m":1e-7,' +
        '"n":1e+21,"weight":10,"€":"\\"\\\\/\u2028\u007f","😀":"before","\uFB33":"after"}',
    )
  })

  test('survives being written and read, with every key', () => {
    const read = parsePack(serializePack(all))
    expect(digestPack(read)).toBe(all.pack_digest)
    expect(Object.hasOwn(read.metadata ?? {}, '__proto__')).toBe(true)
    expect(serializePack(read)).toBe(serializePack(all))
    expect(Object.keys(JSON.parse(serializePack(all)) as object)).toEqual(
      packFields.filter((field) => all[field] !== undefined),
    )
  })

  test('passes every check, and a changed field fails that of the digest', async () => {
    expect((await checkPack(serializePack(all))).filter(({ ok }) => !ok)).toEqual([])
    for (const changes of [
      { description: 'Other.' },
      { tags: ['web security', 'tls'] },
      { metadata: { ...metadata, weight: 11 } },
      { front_matter: '---\n---\n' },
      { glossary: rules.slice(1) },
      { code: undefined },
    ]) {
      const failed = (await checkPack({ ...all, ...changes })).filter(({ ok }) => !ok)
      expect(failed.map(({ name }) => name)).toEqual(['pack_digest'])
    }
  })
})

test.each(OPTIONAL)('%s enters the digest only if it is there', (field) => {
  expect(digestPack({ ...samplePack, [field]: undefined })).toBe(samplePack.pack_digest)
  const changed = { ...samplePack, [field]: all[field] }
  expect(digestPack(changed)).not.toBe(samplePack.pack_digest)
  expect(serializePack(samplePack)).not.toContain(`"${field}"`)
})

test('a pack without them has the bytes and the digest of before', () => {
  const before = packFields.filter(
    (field) => field !== 'pack_digest' && !OPTIONAL.some((one) => one === field),
  )
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replace(/\p{Cs}/gu, ''))
  fc.assert(
    fc.property(text, text, fc.nat(), (title, content, count) => {
      const pack = { ...samplePack, title, content, token_count: count }
      // As it was written before these fields: one level of keys that are no numbers.
      const fields = before.toSorted().map((key) => [key, pack[key]])
      expect(serializeCanonical(pack)).toBe(JSON.stringify(Object.fromEntries(fields)))
    }),
  )
})

const nest = (levels: number): JsonObject => (levels === 1 ? {} : { a: nest(levels - 1) })

test.each<[string, object]>([
  // {"a":"…"} takes eight bytes beside the text.
  ['1,000 characters', { description: '𝒳'.repeat(1000) }],
  ['100 tags', { tags: Array.from({ length: 100 }, () => 'a') }],
  ['16 levels', { metadata: nest(16) }],
  ['64 KiB', { metadata: { a: 'x'.repeat(65_528) } }],
  ['a phrase of 4,096 characters', { glossary: [{ expansion: '𝒳'.repeat(4096) }] }],
  ['262,144 characters', { front_matter: 'x'.repeat(262_144) }],
])('parsePack accepts %s', (_name, fields) => {
  expect(parsePack({ ...samplePack, ...fields })).toMatchObject(fields)
})

test.each<[string, object, RegExp]>([
  ['a description of two lines', { description: 'a\nb' }, /description must hold no control character/],
  ['an empty description', { description: '' }, /description must be at least 1/],
  ['1,001 characters', { description: '𝒳'.repeat(1001) }, /description must be at most 1000/],
  ['no tags', { tags: [] }, /tags must be at least 1/],
  ['101 tags', { tags: Array.from({ length: 101 }, () => 'a') }, /tags must be at most 100/],
  ['a tag of 101 characters', { tags: ['a'.repeat(101)] }, /tags\.0 must be at most 100/],
  ['a tag that is no text', { tags: [1] }, /tags\.0 must be of type string/],
  ['metadata as a list', { metadata: [1] }, /metadata must be an object/],
  ['metadata as null', { metadata: null }, /metadata must be an object/],
  ['empty metadata', { metadata: {} }, /metadata must have a key/],
  ['17 levels', { metadata: nest(17) }, /metadata must have at most 16 levels/],
  ['a byte more', { metadata: { a: `${'x'.repeat(65_527)}é` } }, /metadata must have at most 65536 bytes/],
  ['a number without end', { metadata: { a: [Infinity] } }, /metadata must hold finite numbers/],
  ['half a pair', { metadata: { a: '\uD800' } }, /metadata must hold no lone surrogate/],
  ['half a pair in a key', { metadata: { a: { '\uDC00': 1 } } }, /metadata must hold no lone surrogate/],
  ['a date', { metadata: { a: new Date(0) } }, /metadata must hold JSON values/],
  ['no rules', { glossary: [] }, /glossary must be at least 1/],
  ['a long phrase', { glossary: [{ expansion: 'x'.repeat(4097) }] }, /expansion must be at most 4096/],
  [
    'never as false',
    { glossary: [{ expansion: 'x', never: false }] },
    /glossary\.0\.never must be one of true/,
  ],
  ['a rule with another key', { glossary: [{ expansion: 'x', note: 'y' }] }, /glossary\.0 .*note/],
  [
    'a glossary over 1 MiB',
    { glossary: Array.from({ length: 300 }, () => ({ expansion: 'x'.repeat(4096) })) },
    /glossary must have at most 1048576 bytes/,
  ],
  ['code as text', { code: 'no' }, /code must be/],
  ['an empty front matter', { front_matter: '' }, /front_matter must be at least 1/],
  ['a character more', { front_matter: 'x'.repeat(262_145) }, /front_matter must be at most 262144/],
])('parsePack refuses %s', (_name, fields, message) => {
  const parse = (): unknown => parsePack({ ...samplePack, ...fields })
  expect(parse).toThrow(PackError)
  expect(parse).toThrow(message)
})
