import { openCatalog } from '@packs/catalog'
import { createInProcessRunner, verifyCatalog, type CatalogFault } from '@packs/publisher'
import { expect, it } from 'vitest'
import { changeDatabase } from '../../test-kit/test/change-database.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { openTestCatalog, request, writeSource } from './sources.ts'

type TestCatalog = Awaited<ReturnType<typeof openTestCatalog>>

/** Publishes packs with the given slugs, in this order; the last one twice. */
async function publish(slugs: readonly string[]): Promise<TestCatalog> {
  const opened = await openTestCatalog()
  const runner = createInProcessRunner(opened.catalog)
  for (const slug of slugs) await runner.publish([request(writeSource(slug, `# ${slug}\n\nSome text.\n`))])
  await runner.publish([request(writeSource(slugs.at(-1)!, '# Other\n\nOther text.\n'))])
  return opened
}

const summarize = ({ name, checks }: CatalogFault): string =>
  `${name}: ${checks.map((check) => check.name).join(' ')}`

it('verifies every version, yanked ones too', async () => {
  const { catalog } = await publish(['a', 'b'])
  await catalog.packs.yank('b', '1.0.0', 'wrong', actor)
  await catalog.sources.put(Buffer.from('# Waits\n'))
  expect(await verifyCatalog(catalog)).toEqual({
    ok: true,
    isComplete: true,
    versions: 3,
    waitingSources: 1,
    faults: 0,
    last: 3,
  })
})

it('names each damaged row, and goes on', async () => {
  const { catalog, url } = await publish(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  await catalog.sources.put(Buffer.from('# Waits\n'))
  changeDatabase(
    url,
    `pragma foreign_keys = off;
    update versions set document = x'' where sequence = 1;
    update versions set summary = 'garbage', provenance = '{}' where sequence = 2;
    update versions set document = cast(replace(cast(document as text), 'Some', 'Same') as blob) where sequence = 3;
    delete from sources where sha256 = (select json_extract(provenance, '$.source_sha256') from versions where sequence = 4);
    update versions set pack = 99 where sequence = 5;
    update packs set slug = 'F!' where slug = 'f';
    update versions set published_at = '' where sequence = 7;
    update packs set latest = 8 where slug = 'h';
    update sources set bytes = cast('# Other' as blob) where asked_at is not null;`,
  )
  const faults: CatalogFault[] = []
  const done: string[] = []
  const found = await verifyCatalog(catalog, {
    onFault: (fault) => faults.push(fault),
    onVersion: ({ done: count, total, sequence }) => done.push(`${count}/${total} ${sequence}`),
  })
  expect(faults.map(summarize)).toEqual([
    'a@1.0.0: schema',
    'b@1.0.0: row',
    'c@1.0.0: pack_digest round_trip',
    'd@1.0.0: source',
    'sequence-5@1.0.0: row',
    'F!@1.0.0: row',
    'g@1.0.0: row',
    'h@1.0.0: row search_index',
    expect.stringMatching(/^h@[12]\.\d\.\d: row$/),
    'e: row',
    expect.stringMatching(/^source [0-9a-f]{64}: source$/),
  ])
  expect(found).toMatchObject({ ok: false, isComplete: true, versions: 9, faults: 11, last: 9 })
  expect(done).toHaveLength(9)
  expect(done.at(-1)).toBe('9/9 9')
})

it('reads in batches, ends when it is asked to, and continues', async () => {
  const { catalog } = await publish(['a', 'b', 'c'])
  const stop = new AbortController()
  const first = await verifyCatalog(catalog, {
    signal: stop.signal,
    onVersion: ({ done }) => done === 2 && stop.abort(),
  })
  expect(first).toMatchObject({ isComplete: false, versions: 2, last: 2 })
  expect(await verifyCatalog(catalog, { after: first.last })).toMatchObject({
    ok: true,
    isComplete: true,
    versions: 2,
    last: 4,
  })
})

it('writes nothing, so it also works read-only, and fails if the database does not answer', async () => {
  const { catalog, url } = await publish(['a'])
  const reader = await openCatalog({ url, readOnly: true })
  expect(await verifyCatalog(reader)).toMatchObject({ ok: true, versions: 2 })
  await reader.close()
  await expect(verifyCatalog(reader)).rejects.toThrow('driver has already been destroyed')
  expect(await catalog.sequence()).toBe(2)
})
