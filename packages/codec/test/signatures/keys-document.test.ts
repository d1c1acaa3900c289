import { describe, expect, test } from 'vitest'
import { KeysError, parseKeys, serializeKeys } from '../../src/signatures/keys-document.ts'

/** The key of RFC 8037, appendix A.2. */
const key = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  status: 'active',
}

const parse = (...keys: unknown[]) => parseKeys(JSON.stringify({ keys }))

test('a document is read without the members that it does not define, and written again', async () => {
  const document = await parse({ ...key, use: 'sig', name: 'release 2026' })
  expect(document.keys).toEqual([{ ...key, name: 'release 2026' }])
  expect(await parseKeys(serializeKeys(document))).toEqual(document)
})

test('a revoked key says when and why', async () => {
  const revoked = { ...key, status: 'revoked', revoked_at: '2026-03-01T00:00:00Z', reason: 'laptop lost' }
  expect((await parse(revoked)).keys).toEqual([revoked])
})

describe('refused is', () => {
  test.each<[string, unknown[], RegExp]>([
    ['another curve', [{ ...key, crv: 'X25519' }], /keys\[0\] is not an Ed25519 key/],
    ['another kind of key', [{ ...key, kty: 'RSA' }], /keys\[0\] is not an Ed25519 key/],
    ['a key that was cut', [{ ...key, x: key.x.slice(0, -1) }], /keys\[0\]\.x/],
    ['unused bits that are not 0', [{ ...key, x: `${key.x.slice(0, -1)}p` }], /keys\[0\]\.x/],
    ['the id of another key', [{ ...key, kid: key.x }], /keys\[0\]\.kid/],
    ['the same key twice', [key, key], /keys\[1\]\.kid matches an earlier key/],
    ['a private key', [{ ...key, d: 'secret' }], /keys\[0\] contains a private key/],
    ['an unknown status', [{ ...key, status: 'lost' }], /keys\[0\]\.status/],
    ['a name of two lines', [{ ...key, name: 'a\nb' }], /keys\[0\]\.name/],
    ['a long name', [{ ...key, name: 'a'.repeat(101) }], /keys\[0\]\.name/],
    ['a time of revocation on an active key', [{ ...key, revoked_at: '2026-03-01T00:00:00Z' }], /revoked_at/],
    ['no object', [null], /keys\[0\] is not an object/],
    ['a list of 101 keys', Array.from({ length: 101 }, () => key), /more than 100 keys/],
  ])('%s', async (_, keys, message) => {
    await expect(parse(...keys)).rejects.toThrow(message)
    await expect(parse(...keys)).rejects.toMatchObject({ code: 'invalid_keys', hint: expect.any(String) })
  })

  test.each(['', '[]', 'null', '{"keys":{}}', `{"keys":[],"x":"${'a'.repeat(65_536)}"}`])(
    'the text %.20s',
    async (text) => {
      await expect(parseKeys(text)).rejects.toThrow(KeysError)
    },
  )

  test('without repeating a private key', async () => {
    await expect(parse({ ...key, d: 'secret' })).rejects.not.toThrow(/secret/)
  })
})
