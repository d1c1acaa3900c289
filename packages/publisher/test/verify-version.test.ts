import { DatabaseSync } from 'node:sqlite'
import { createInProcessRunner, verifyVersion } from '@packs/publisher'
import { expect, it } from 'vitest'
import { openTestCatalog, request, writeSource } from './sources.ts'

it('proves a version, finds a row, a document or a source that was changed, and says what it built again', async () => {
  const { catalog, url } = await openTestCatalog()
  await createInProcessRunner(catalog).publish(
    ['a', 'b', 'c'].map((slug) => request(writeSource(slug, '# A\n\nSome text.\n'))),
  )
  expect(await verifyVersion(catalog, 'a', '1.0.0')).toMatchObject({
    ok: true,
    yanked: false,
    rebuild: 'same',
  })
  await expect(verifyVersion(catalog, 'a', '2.0.0')).rejects.toMatchObject({ code: 'unknown_version' })

  const database = new DatabaseSync(url)
  database.exec(`
    update versions set document = replace(cast(document as text), 'Some text', 'Same text') where sequence = 1;
    update versions set summary = replace(summary, '"1.0.0"', '"1.0.1"'),
      provenance = replace(provenance, '"codec_version":"', '"codec_version":"0.0.0-') where sequence = 2;
    update sources set bytes = cast('# Other' as blob)
      where sha256 = (select json_extract(provenance, '$.source_sha256') from versions where sequence = 3);
  `)
  database.close()
  const failed = async (slug: string): Promise<unknown> => {
    const { ok, rebuild, checks } = await verifyVersion(catalog, slug, '1.0.0')
    return [ok, rebuild, checks.filter((check) => !check.ok).map(({ name }) => name)]
  }
  expect(await failed('a')).toEqual([false, 'differs', ['pack_digest', 'round_trip', 'rebuild']])
  expect(await failed('b')).toEqual([false, 'skipped', ['row']])
  expect(await failed('c')).toEqual([false, 'differs', ['source', 'source_digest', 'rebuild']])
})
