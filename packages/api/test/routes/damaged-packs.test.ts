import type { Catalog } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'

const NDJSON = { accept: 'application/x-ndjson' }

/** What happens to the row of a version: SQL for SQLite, and for Postgres. */
const damages: Readonly<Record<string, readonly [sqlite: string, postgres: string]>> = {
  'a document that is not JSON': [`document = cast('garbage' as blob)`, `document = 'garbage'::bytea`],
  'an empty document': [`document = x''`, `document = ''::bytea`],
  'a truncated document': repeat(`document = substr(document, 1, length(document) - 9)`),
  'a document with another text': [
    `document = cast(replace(cast(document as text), 'comes back', 'went away') as blob)`,
    `document = convert_to(replace(convert_from(document, 'UTF8'), 'comes back', 'went away'), 'UTF8')`,
  ],
  'a document with another description': [
    `document = cast(replace(cast(document as text), 'About it', 'About me') as blob)`,
    `document = convert_to(replace(convert_from(document, 'UTF8'), 'About it', 'About me'), 'UTF8')`,
  ],
  'a document with other metadata': [
    `document = cast(replace(cast(document as text), '"weight": 1', '"weight": 2') as blob)`,
    `document = convert_to(replace(convert_from(document, 'UTF8'), '"weight": 1', '"weight": 2'), 'UTF8')`,
  ],
  'a document with another front matter': [
    `document = cast(replace(cast(document as text), 'weight: 1', 'weight: 2') as blob)`,
    `document = convert_to(replace(convert_from(document, 'UTF8'), 'weight: 1', 'weight: 2'), 'UTF8')`,
  ],
  'a summary with another description': repeat(`summary = replace(summary, 'About it', 'About me')`),
  'a summary with its tags in another order': repeat(`summary = replace(summary, '["x","y"]', '["y","x"]')`),
  'a summary without tags': repeat(`summary = replace(summary, ',"tags":["x","y"]', '')`),
  'a document with a wrong field': [
    `document = cast(replace(cast(document as text), '"content":', '"contents":') as blob)`,
    `document = convert_to(replace(convert_from(document, 'UTF8'), '"content":', '"contents":'), 'UTF8')`,
  ],
  'a summary that is not JSON': repeat(`summary = 'garbage'`),
  'a summary without fields': repeat(`summary = '{}'`),
  'a summary of another pack': repeat(`summary = replace(summary, '"slug":"b', '"slug":"c')`),
  'no time': repeat(`published_at = ''`),
}

function repeat(sql: string): readonly [string, string] {
  return [sql, sql]
}

const FIELDS = {
  description: 'About it.',
  tags: ['x', 'y'],
  metadata: { menu: { weight: 1 } },
  front_matter: '---\nmenu:\n  weight: 1\n---\n',
}

describeDatabases('a damaged pack in %s', (database, kind) => {
  const at = kind === 'SQLite' ? 0 : 1

  /** Starts the API on a catalog with the packs a and c, and between them a damaged one for each damage. */
  async function start(
    kinds: readonly (keyof typeof damages)[],
    texts: Partial<Pack> = {},
  ): Promise<{ api: TestApi; get: Get; run: (sql: string) => Promise<void>; repair: () => Promise<void> }> {
    const url = await database.createCatalog()
    const catalog: Catalog = await database.open(url)
    const slugs = ['a', ...kinds.map((_, index) => `b${index}`), 'c']
    await catalog.packs.commit(slugs.map((slug) => makePack({ slug, ...FIELDS }, texts)))
    const run = (sql: string): Promise<void> => database.run(url, sql)
    await run(`create table sound as select * from versions`)
    for (const [index, damage] of kinds.entries())
      await run(`update versions set ${damages[damage]![at]} where sequence = ${index + 2}`)
    const api = await startApi({ catalog })
    const columns = ['document', 'summary', 'published_at']
    const sound = columns
      .map((name) => `${name} = (select ${name} from sound where sound.sequence = versions.sequence)`)
      .join(', ')
    return {
      api,
      get: (path, headers = {}) => api.request(`/api/v1${path}`, { key: api.pro.key, headers }),
      run,
      repair: () => run(`update versions set ${sound}`),
    }
  }

  describe('of every kind', async () => {
    const kinds = Object.keys(damages)
    const damaged = kinds.map((_, index) => ({ slug: `b${index}`, version: '1.0.0' }))
    const { api, get } = await start(kinds)

    it('is omitted from a download and named', async () => {
      const { status, json } = await get('/packs/download')
      expect(status).toBe(200)
      expect(json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['a', 'c'])
      expect(json.meta).toMatchObject({ count: 2, next_cursor: null })
      expect(sortBySlug(json.meta.damaged)).toEqual(sortBySlug(damaged))
      const lines = (await get('/packs/download', NDJSON)).text.trimEnd().split('\n')
      const parsed = lines.map((line) => JSON.parse(line) as { slug: string })
      expect(parsed.slice(0, 2).map(({ slug }) => slug)).toEqual(['a', 'c'])
      const named = damaged.map((version) => ({ ...version, damaged: true }))
      expect(sortBySlug(parsed.slice(2))).toEqual(sortBySlug(named))
      const rest = await get(`/packs/download?cursor=${json.meta.resume_cursor}`)
      expect(rest.json).toMatchObject({ data: [], meta: { count: 0 } })
      expect(api.log).toHaveLength(2)
      const line = JSON.parse(api.log[0]!) as { fields: { damaged: readonly string[] } }
      expect(line.fields).toMatchObject({ route: '/api/v1/packs/download', code: 'damaged_pack' })
      expect(line.fields.damaged.toSorted()).toEqual(kinds.map((_, index) => `b${index}@1.0.0`).toSorted())
      expect((await get('/packs/c')).status).toBe(200)
    })

    it.each(Object.entries(kinds))('has its own error, also as a preview: pack %s with %s', async (index) => {
      api.log.length = 0
      const slug = `b${index}`
      for (const key of [api.pro.key, api.free.key]) {
        for (const path of [`/packs/${slug}`, `/packs/${slug}/versions/1.0.0`]) {
          for (const accept of ['application/json', 'text/markdown']) {
            const { status, json } = await api.request(`/api/v1${path}`, { key, headers: { accept } })
            expect([status, json.code, path]).toEqual([500, 'damaged_pack', path])
          }
        }
      }
      expect(api.log).toHaveLength(8)
      for (const line of api.log) {
        expect(line).toContain(`"code":"damaged_pack","pack":"${slug}@1.0.0"`)
        expect(line).toMatch(/"damage":"The catalog is damaged: versions\./)
      }
    })
  })

  describe('in a catalog of its own', () => {
    let api: TestApi

    it('is omitted from lists and named', async () => {
      const kinds = ['a summary that is not JSON', 'a summary without fields', 'no time']
      const started = await start(kinds)
      const { get } = started
      api = started.api
      const damaged = kinds.map((_, index) => ({ slug: `b${index}`, version: '1.0.0' }))
      const { status, json, headers } = await get('/packs')
      expect(status).toBe(200)
      expect(json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['a', 'c'])
      expect(json.meta.total).toBe(5)
      expect(sortBySlug(json.meta.damaged)).toEqual(damaged)
      const histories: ApiResponse[] = []
      for (const version of damaged) {
        const history = await get(`/packs/${version.slug}/versions`)
        expect(history.json).toEqual({ data: [], meta: { total: 1, damaged: [version] } })
        histories.push(history)
      }
      await started.repair()
      const again = await get('/packs', { 'if-none-match': headers.etag! })
      expect([again.status, again.json.data.length, again.json.meta.damaged]).toEqual([200, 5, undefined])
      for (const [index, history] of histories.entries()) {
        const lines = await get(`/packs/b${index}/versions`, { 'if-none-match': history.headers.etag! })
        expect([lines.status, lines.json.data.length]).toEqual([200, 1])
      }
    })

    it.each([
      ['a small page', {}],
      ['a page that is read twice', { preview_content: 'x'.repeat(2_000_000) }],
    ])('is sent again after its repair, in %s', async (_what, texts) => {
      const started = await start(['an empty document'], texts)
      const { get } = started
      api = started.api
      const first = await get('/packs/download')
      expect(first.json.meta.damaged).toEqual([{ slug: 'b0', version: '1.0.0' }])
      const again = await get('/packs/download', { 'if-none-match': first.headers.etag! })
      expect([again.status, again.json.data.length]).toEqual([200, 2])
      await started.repair()
      const repaired = await get('/packs/download', { 'if-none-match': first.headers.etag! })
      expect([repaired.status, repaired.json.data.length]).toEqual([200, 3])
      expect(repaired.json.meta.damaged).toBeUndefined()
      expect((await get('/packs/download', { 'if-none-match': repaired.headers.etag! })).status).toBe(304)
    })

    it('is omitted if it was removed and its id cannot be read', async () => {
      const started = await start(['an empty document'])
      api = started.api
      await api.catalog.packs.yank('b0', '1.0.0', 'wrong', actor)
      await started.run(`update packs set id = 'x' where slug = 'b0'`)
      const { status, json } = await started.get('/packs/download?updated_since=2000-01-01T00:00:00Z')
      expect([status, json.data.length, json.meta.damaged]).toEqual([200, 2, [{ slug: 'b0', version: null }]])
    })
  })
})

function sortBySlug(versions: unknown): readonly { readonly slug: string }[] {
  return (versions as readonly { readonly slug: string }[]).toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
}

type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<ApiResponse>
