import { describe, expect, test } from 'vitest'
import { checkPack } from '../../src/pack/check-pack.ts'
import { digestPack } from '../../src/pack/digests.ts'
import { serializePack } from '../../src/pack/pack-fields.ts'
import type { Pack } from '../../src/pack/pack-schema.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import {
  deriveKeyId,
  encodeSignedText,
  findWrongSignature,
  readSignatures,
  type PackSignature,
} from '../../src/signatures/pack-signature.ts'
import { readJson } from '../fixture-files.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

interface Case {
  readonly name: string
  readonly pack_digest: string
  readonly signatures: readonly PackSignature[]
  readonly result: 'valid' | 'wrong' | 'malformed'
}

const { cases } = readJson('signatures/cases.json') as { readonly cases: readonly Case[] }
const [one, two] = cases.find(({ name }) => name.startsWith('two keys'))!.signatures as [
  PackSignature,
  PackSignature,
]
const signed: Pack = { ...samplePack, signatures: [one] }
const forged: Pack = { ...samplePack, signatures: [{ ...one, signature: two.signature }] }

describe('fixtures/signatures', () => {
  test.each(cases)('$name: $result', async ({ pack_digest, signatures: given, result }) => {
    const signatures = readSignatures(given)
    const wrong = signatures && (await findWrongSignature({ pack_digest, signatures }))
    expect(signatures === undefined ? 'malformed' : wrong === undefined ? 'valid' : 'wrong').toBe(result)
  })
})

test('the id of the key of RFC 8037 is the thumbprint in its appendix A.3', async () => {
  expect(await deriveKeyId('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  )
})

test('what is signed is two lines', () => {
  expect(new TextDecoder().decode(encodeSignedText('0a'.repeat(32)))).toBe(
    `packs-signature-v1\n${'0a'.repeat(32)}\n`,
  )
})

describe('a pack document', () => {
  test('has the same digest with signatures', () => {
    expect(digestPack(signed)).toBe(samplePack.pack_digest)
  })

  test('keeps its signatures when it is parsed and written', () => {
    const text = serializePack(signed)
    expect(parsePack(text).signatures).toEqual([one])
    expect(serializePack(parsePack(text))).toBe(text)
  })

  test.each(cases.filter(({ result }) => result === 'malformed'))('is refused: $name', ({ signatures }) => {
    expect(() => parsePack({ ...samplePack, signatures })).toThrow(/signatures/)
  })

  test('is checked with its signatures', async () => {
    const find = async (pack: Pack) => (await checkPack(pack)).find(({ name }) => name === 'signatures')
    expect(await find(signed)).toMatchObject({ ok: true })
    expect(await find(forged)).toMatchObject({ ok: false, message: expect.stringContaining(one.key_id) })
    expect(await find(samplePack)).toBeUndefined()
  })

  test('loses members of a signature that the format does not define', () => {
    const given = { ...samplePack, signatures: [{ ...one, note: 'x' }] }
    expect(parsePack(given).signatures).toEqual([one])
  })
})
