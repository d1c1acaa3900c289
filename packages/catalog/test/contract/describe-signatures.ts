import { openDocument } from '@packs/catalog'
import type { PackSignature } from '@packs/codec/internal'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTestSigner } from '../../../test-kit/test/sign-pack.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

const [alice, bob] = [createTestSigner(1), createTestSigner(2)]

export function describeSignatures(context: CatalogContext): void {
  describe('SignatureStore.add', () => {
    const version = makeVersion({ slug: 'tls' })
    const digest = version.pack.pack_digest
    const add = (signature: PackSignature, slug = 'tls', number = '1.0.0') =>
      context.catalog.signatures.add(slug, number, signature, actor)

    it('adds signatures that every reader of the version gets, and leaves the document as it was', async () => {
      const { packs } = context.catalog
      await packs.commit([version])
      const before = await packs.latest('tls')
      expect(before!.signatures).toEqual([])
      expect(await add(alice.sign(digest))).toEqual({ isNew: true, signatures: [alice.sign(digest)] })
      await add(bob.sign(digest))

      const both = [alice.sign(digest), bob.sign(digest)]
      const after = await packs.latest('tls')
      expect(after!.document).toEqual(before!.document)
      expect(openDocument(after!)).toEqual({ ...version.pack, signatures: both })
      expect((await packs.find('tls', '1.0.0'))!.signatures).toEqual(both)
      expect((await packs.list({ limit: 9, offset: 0 })).packs).toMatchObject([{ signatures: both }])
      expect(await packs.versions('tls')).toMatchObject([{ signers: [alice.id, bob.id] }])
    })

    it('is the only way to a signature: a version is committed without', async () => {
      const pack = { ...version.pack, signatures: [alice.sign('0'.repeat(64))] }
      await context.catalog.packs.commit([{ ...version, pack }])
      const stored = await context.catalog.packs.latest('tls')
      expect(JSON.parse(Buffer.from(stored!.document).toString())).toEqual(version.pack)
      expect(openDocument(stored!)).toEqual(version.pack)
    })

    it('is a change of the pack, also of a version that is not its latest', async () => {
      const { packs } = context.catalog
      await packs.commit([version])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })])
      await add(alice.sign(digest))
      expect(await context.catalog.sequence()).toBe(3)
      const { changes } = await packs.changes({ after: 2, removals: true, limit: 9, maxBytes: 1e6 })
      expect(changes).toMatchObject([{ version: { version: '1.1.0', signatures: [] } }])
      expect(await packs.latest('tls')).toMatchObject({ version: '1.1.0' })
    })

    it('changes nothing the second time', async () => {
      await context.catalog.packs.commit([version])
      await add(alice.sign(digest))
      expect(await add(alice.sign(digest))).toEqual({ isNew: false, signatures: [alice.sign(digest)] })
      expect(await context.catalog.sequence()).toBe(2)
    })

    it('takes both of two keys that sign at the same time', async () => {
      await context.catalog.packs.commit([version])
      await Promise.all([add(alice.sign(digest)), add(bob.sign(digest))])
      const [line] = await context.catalog.packs.versions('tls')
      expect(line!.signers.toSorted()).toEqual([alice.id, bob.id].toSorted())
    })

    it('records who added it', async () => {
      await context.catalog.packs.commit([version])
      await add(alice.sign(digest))
      expect(await context.catalog.audit.list({ action: 'version.signed', limit: 9 })).toMatchObject([
        { actor, target: 'tls@1.0.0', details: { key_id: alice.id } },
      ])
    })

    it.each<[string, PackSignature]>([
      ['of another pack', alice.sign('0'.repeat(64))],
      ['of another key', { ...alice.sign(digest), signature: bob.sign(digest).signature }],
      ['with the id of another key', { ...bob.sign(digest), key_id: alice.id }],
      ['that was cut', { ...alice.sign(digest), signature: 'AAAA' }],
    ])('refuses a signature %s', async (_, signature) => {
      await context.catalog.packs.commit([version])
      expect(await errorCode(add(signature))).toBe('invalid_signature')
      expect(await context.catalog.sequence()).toBe(1)
    })

    it('refuses a fifth signature', async () => {
      await context.catalog.packs.commit([version])
      for (const byte of [1, 2, 3, 4]) await add(createTestSigner(byte).sign(digest))
      expect(await errorCode(add(createTestSigner(5).sign(digest)))).toBe('too_many_signatures')
      expect((await context.catalog.packs.versions('tls'))[0]!.signers).toHaveLength(4)
    })

    it('refuses names that it does not have', async () => {
      await context.catalog.packs.commit([version])
      expect(await errorCode(add(alice.sign(digest), 'ssl'))).toBe('unknown_pack')
      expect(await errorCode(add(alice.sign(digest), 'tls', '9.0.0'))).toBe('unknown_version')
    })

    it.each(['no json', '[]', '[{"key_id":"x"}]'])('takes the stored text %j for damage', async (text) => {
      await context.catalog.packs.commit([version])
      await sql`update versions set signatures = ${text}`.execute(context.catalog.database.db)
      expect(await errorCode(context.catalog.packs.latest('tls'))).toBe('catalog_damaged')
      expect((await context.catalog.packs.examine('tls', '1.0.0'))!.signatures).toBeUndefined()
    })
  })
}
