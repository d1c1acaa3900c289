import { openCatalog } from '@packs/catalog'
import { expect, it, onTestFinished } from 'vitest'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'
import { createTestSigner } from '../../../test-kit/test/sign-pack.ts'
import { work } from '../../src/documents/read-document.ts'

it('the file of a signed pack has its signatures', async () => {
  const catalog = await openCatalog({ url: ':memory:' })
  onTestFinished(() => catalog.close())
  const version = makeVersion({ slug: 'tls' })
  await catalog.packs.commit([version])
  const read = async () => {
    const { bytes } = await work(catalog, { sequence: 1, part: 'document', scope: 'full' })
    return JSON.parse(Buffer.from(bytes!).toString()) as unknown
  }
  expect(await read()).toEqual(version.pack)
  const signature = createTestSigner(1).sign(version.pack.pack_digest)
  await catalog.signatures.add('tls', '1.0.0', signature, actor)
  expect(await read()).toEqual({ ...version.pack, signatures: [signature] })
})
