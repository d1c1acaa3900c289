import type { Catalog } from '@packs/catalog'
import { createInProcessRunner, readSource, verifyVersion } from '@packs/publisher'
import { changeDatabase } from '../../test-kit/test/change-database.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { expect, it } from 'vitest'
import { openTestCatalog, request, writeSource } from './sources.ts'

/** Returns whether a version passes, and the names of the checks that it fails. */
async function listFailed(catalog: Catalog, slug: string): Promise<[boolean, string[]]> {
  const { ok, checks } = await verifyVersion(catalog, slug, '1.0.0')
  return [ok, checks.filter((check) => !check.ok).map(({ name }) => name)]
}

it('verifies a version, and detects a changed row, document or source', async () => {
  const { catalog, url } = await openTestCatalog()
  await createInProcessRunner(catalog).publish(
    ['a', 'b', 'c'].map((slug) => request(writeSource(slug, '# A\n\nSome text.\n'))),
  )
  expect(await verifyVersion(catalog, 'a', '1.0.0')).toMatchObject({ ok: true, yanked: false })
  // Numbers of terms that have been indexed again since are read anew.
  const terms = new Map([['text', 999]])
  expect(await verifyVersion(catalog, 'a', '1.0.0', { terms })).toMatchObject({ ok: true })
  expect(terms.get('text')).toBeLessThan(999)
  await expect(verifyVersion(catalog, 'a', '2.0.0')).rejects.toMatchObject({ code: 'unknown_version' })

  changeDatabase(
    url,
    `
    update versions set document = replace(cast(document as text), 'Some text', 'Same text') where sequence = 1;
    update versions set summary = replace(summary, '"1.0.0"', '"1.0.1"') where sequence = 2;
    update sources set bytes = cast('# Other' as blob)
      where sha256 = (select json_extract(provenance, '$.source_sha256') from versions where sequence = 3);
  `,
  )
  expect(await listFailed(catalog, 'a')).toEqual([false, ['pack_digest', 'round_trip']])
  expect(await listFailed(catalog, 'b')).toEqual([false, ['row']])
  expect(await listFailed(catalog, 'c')).toEqual([false, ['source', 'source_digest']])
})

it('reports what is damaged', async () => {
  const { catalog, url } = await openTestCatalog()
  await createInProcessRunner(catalog).publish(
    ['a', 'b', 'c', 'd'].map((slug) => request(writeSource(slug, `# ${slug}\n`))),
  )
  changeDatabase(
    url,
    `
    update versions set provenance = 'garbage' where sequence = 1;
    update versions set document = x'00' where sequence = 2;
    delete from sources where sha256 = (select json_extract(provenance, '$.source_sha256') from versions where sequence = 3);
    update versions set domain_slug = 'x' where sequence = 4;
  `,
  )
  expect(await listFailed(catalog, 'a')).toEqual([false, ['row']])
  expect(await listFailed(catalog, 'b')).toEqual([false, ['schema']])
  expect(await listFailed(catalog, 'c')).toEqual([false, ['source']])
  expect(await listFailed(catalog, 'd')).toEqual([false, ['row']])
  const { checks } = await verifyVersion(catalog, 'a', '1.0.0')
  expect(checks.find(({ name }) => name === 'row')).toMatchObject({
    message: expect.stringContaining('versions.provenance (sequence 1)'),
    hint: expect.stringContaining('restore a backup'),
  })
})

it('detects changed values from outside of the source', async () => {
  const { catalog, url } = await openTestCatalog()
  const glossary = [{ expansion: 'some text', term: 'ST' }]
  const slugs = ['a', 'b', 'c', 'd']
  const requests = slugs.map((slug) => {
    const given = {
      slug,
      title: 'Given',
      ...(slug !== 'a' && { glossary: [...glossary, { expansion: slug }] }),
    }
    return {
      ...readSource({ bytes: Buffer.from('# A\n\nSome text.\n'), path: 'x.md', defaults: given }),
      actor,
    }
  })
  await createInProcessRunner(catalog).publish(requests)
  const tablesOf = (sequence: number): string =>
    `(select json_extract(provenance, '$.given.tables') from versions where sequence = ${sequence})`
  changeDatabase(
    url,
    `
    update versions set provenance = replace(provenance, '"title":"Given"', '"title":"Other"') where sequence = 1;
    update sources set bytes = cast('{"glossary":[]}' as blob) where sha256 = ${tablesOf(2)};
    delete from sources where sha256 = ${tablesOf(3)};
  `,
  )
  const failed = async (slug: string): Promise<unknown> => {
    const { checks } = await verifyVersion(catalog, slug, '1.0.0')
    return checks.filter((check) => !check.ok).map(({ name, message }) => `${name}: ${message}`)
  }
  expect(await failed('a')).toEqual([
    'source_digest: The digest of source and settings differs from the recorded one',
  ])
  expect(await failed('b')).toEqual([
    expect.stringMatching(/^tables: The digest of the glossary and map of front matter keys differs /),
  ])
  expect(await failed('c')).toEqual([
    'tables: The glossary and map of front matter keys is no longer in the catalog',
  ])
  expect(await failed('d')).toEqual([])
})
