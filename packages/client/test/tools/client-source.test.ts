import { loadTokenizer } from '@packs/codec/compress'
import { expect, it } from 'vitest'
import { samplePack, createTestSigner, signPack } from '../../../test-kit/test/sign-pack.ts'
import { describeIdentity } from '../../src/tools/answer.ts'
import { createClientSource } from '../../src/tools/index.ts'
import { createClient } from '../../src/index.ts'

const alice = createTestSigner(1)

it.each([
  ['the signer of a signed pack', signPack(samplePack, alice), { signer: alice.id }],
  ['none of an unsigned one', samplePack, {}],
])('a source over a client names %s', async (_, pack, expected) => {
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ ...pack, preview: false }))
  const source = createClientSource(createClient({ url: 'http://catalog.test', fetch }), loadTokenizer)
  const opened = await source.open('tls-basics', new AbortController().signal)
  expect(describeIdentity(opened)).toEqual({
    pack: 'tls-basics',
    version: '1.2.0',
    pack_digest: pack.pack_digest,
    ...expected,
  })
})
