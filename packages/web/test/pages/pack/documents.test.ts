import type { Catalog } from '@packs/catalog'
import { expect, it } from 'vitest'
import { makePack } from '../../make-pack.ts'
import { changeDatabase } from '../../../../test-kit/test/change-database.ts'
import { startSite, type Site } from '../../start-site.ts'

let site: Site

/** Fails if the thread that answers requests reads a document. */
function forbidDocuments(catalog: Catalog): Catalog {
  const fail = (): never => {
    throw new Error('The main thread reads a document')
  }
  return { ...catalog, packs: { ...catalog.packs, read: fail, latest: fail, version: fail } }
}

const LARGE = 'A CT log is public.\n\n'.repeat(25_000)

it('reads documents in another thread, for pages and downloads', async () => {
  const rosetta = '[DECODE] CT=certificate transparency'
  const sketch = { content: LARGE, preview_content: LARGE.slice(0, 400_000), rosetta }
  const slugs = Array.from({ length: 2 }, (_, at) => `large-${at}`)
  site = await startSite(
    slugs.map((slug) => makePack({ slug, ...sketch })),
    undefined,
    forbidDocuments,
  )
  const visitors = await Promise.all(slugs.map((slug) => site.visit(`/browse/${slug}`)))
  for (const { statusCode, body } of visitors) {
    expect(statusCode).toBe(200)
    expect(body).toContain('A certificate transparency log is public.')
    expect(body).toContain('>Next</a>')
    expect(body.length).toBeLessThan(200_000)
  }
  await site.setMode('recovery')
  const page = await site.visit('/browse/large-1')
  expect(page.body).toContain('A certificate transparency log is public.')
  const [text, pack] = [await site.visit('/browse/large-1.md'), await site.visit('/browse/large-1.pack.json')]
  expect(text.body === LARGE.replaceAll('CT', 'certificate transparency')).toBe(true)
  expect(pack.json<{ content: string }>().content === LARGE).toBe(true)
})

it('shows the list without a damaged pack, and an error page for the pack itself', async () => {
  site = await startSite(['a', 'b', 'c', 'd'].map((slug) => makePack({ slug, content: 'Some text.\n' })))
  changeDatabase(
    site.catalog.database.url()!,
    `    update versions set summary = 'garbage' where sequence = 2;
    update versions set document = cast(replace(cast(document as text), 'Some text', 'Same text') as blob) where sequence = 3;
  `,
  )
  const list = await site.visit('/browse')
  expect(list.statusCode).toBe(200)
  for (const slug of ['a', 'c', 'd']) expect(list.body).toContain(`href="/browse/${slug}"`)
  expect(list.body).not.toContain('href="/browse/b"')
  expect(list.body).toMatch(/Not shown because they are damaged: b\./)
  expect(site.log).toHaveLength(1)
  expect(site.log[0]).toContain('"damaged":["b@1.0.0"]')
  await site.setMode('recovery')
  for (const path of ['/browse/b', '/browse/c', '/browse/c.md', '/browse/c.pack.json']) {
    const { statusCode, body, headers } = await site.visit(path)
    expect([statusCode, body.includes('data-code="damaged_pack"'), path]).toEqual([500, true, path])
    expect([headers['content-disposition'], body.includes('Same text')]).toEqual([undefined, false])
    const slug = path.slice('/browse/'.length, '/browse/'.length + 1)
    expect(site.log.at(-1)).toContain(`"code":"damaged_pack","pack":"${slug}@1.0.0"`)
  }
  expect((await site.visit('/browse/d')).statusCode).toBe(200)
})
