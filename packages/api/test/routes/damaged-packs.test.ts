import type { Catalog } from '@packs/catalog'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  startPostgresTests,
  startSqliteTests,
  type TestDatabase,
} from '../../../catalog/test/test-database.ts'
import { actor } from '../../../catalog/test/test-actor.ts'
import type { ApiResponse } from '../check-response.ts'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

const NDJSON = { accept: 'application/x-ndjson' }

/** What happens to the row of `b@1.0.0`: SQL for SQLite, and for Postgres. */
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
  'a summary of another pack': repeat(`summary = replace(summary, '"slug":"b"', '"slug":"c"')`),
  'no time': repeat(`published_at = ''`),
}

function repeat(sql: string): readonly [string, string] {
  return [sql, sql]
}

describe.each([
  ['SQLite', startSqliteTests, 0],
  ['Postgres', startPostgresTests, 1],
] as const)('a damaged pack in %s', (_name, startDatabase, at) => {
  let database: TestDatabase
  let api: TestApi
  beforeAll(async () => {
    database = await startDatabase()
  }, 60_000)
  afterEach(async () => {
    await api.close()
    await database.closeAll()
  })
  afterAll(() => database.stop())

  /** Starts the API on a catalog with the packs a, b and c, of which b is damaged. */
  async function start(
    damage: keyof typeof damages,
    content?: string,
  ): Promise<{ run: (sql: string) => Promise<void>; repair: () => Promise<void> }> {
    const url = await database.createCatalog()
    const catalog: Catalog = await database.open(url)
    const texts = content === undefined ? {} : { content }
    const fields = {
      description: 'About it.',
      tags: ['x', 'y'],
      metadata: { menu: { weight: 1 } },
      front_matter: '---\nmenu:\n  weight: 1\n---\n',
    }
    await catalog.packs.commit(['a', 'b', 'c'].map((slug) => makePack({ slug, ...fields }, texts)))
    const run = (sql: string): Promise<void> => database.run(url, sql)
    await run(`create table sound as select * from versions where sequence = 2`)
    await run(`update versions set ${damages[damage]![at]} where sequence = 2`)
    api = await startApi({ catalog })
    const columns = ['document', 'summary', 'published_at']
    const sound = columns.map((column) => `${column} = (select ${column} from sound)`).join(', ')
    return { run, repair: () => run(`update versions set ${sound} where sequence = 2`) }
  }

  const get = (path: string, headers = {}): Promise<ApiResponse> =>
    api.request(`/api/v1${path}`, { key: api.pro.key, headers })

  it.each(Object.keys(damages))(
    'is left out of a download and named, and has its own error: %s',
    async (damage) => {
      await start(damage)
      const { status, json } = await get('/packs/download')
      expect(status).toBe(200)
      expect(json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['a', 'c'])
      expect(json.meta).toMatchObject({
        count: 2,
        next_cursor: null,
        damaged: [{ slug: 'b', version: '1.0.0' }],
      })
      const lines = (await get('/packs/download', NDJSON)).text.trimEnd().split('\n')
      expect(lines.slice(0, 2).map((line) => (JSON.parse(line) as { slug: string }).slug)).toEqual(['a', 'c'])
      expect(lines.slice(2)).toEqual(['{"slug":"b","version":"1.0.0","damaged":true}'])
      const rest = await get(`/packs/download?cursor=${json.meta.resume_cursor}`)
      expect(rest.json).toMatchObject({ data: [], meta: { count: 0 } })
      expect(api.log).toHaveLength(2)
      expect(api.log[0]).toContain(
        '"route":"/api/v1/packs/download","code":"damaged_pack","damaged":["b@1.0.0"]',
      )
      // Its own error, also as a preview.
      for (const key of [api.pro.key, api.free.key]) {
        for (const path of ['/packs/b', '/packs/b/versions/1.0.0']) {
          for (const accept of ['application/json', 'text/markdown']) {
            const { status, json } = await api.request(`/api/v1${path}`, { key, headers: { accept } })
            expect([status, json.code, path]).toEqual([500, 'damaged_pack', path])
          }
        }
      }
      expect(api.log).toHaveLength(10)
      expect(api.log[2]).toMatch(
        /"code":"damaged_pack","pack":"b@1\.0\.0","damage":"The catalog is damaged: versions\./,
      )
      expect((await get('/packs/c')).status).toBe(200)
    },
  )

  it.each(['a summary that is not JSON', 'a summary without fields', 'no time'])(
    'is left out of lists and named: %s',
    async (damage) => {
      const { repair } = await start(damage)
      const { status, json, headers } = await get('/packs')
      expect(status).toBe(200)
      expect(json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['a', 'c'])
      expect(json.meta).toMatchObject({ total: 3, damaged: [{ slug: 'b', version: '1.0.0' }] })
      const history = await get('/packs/b/versions')
      expect(history.json).toEqual({
        data: [],
        meta: { total: 1, damaged: [{ slug: 'b', version: '1.0.0' }] },
      })
      await repair()
      const again = await get('/packs', { 'if-none-match': headers.etag })
      expect([again.status, again.json.data.length, again.json.meta.damaged]).toEqual([200, 3, undefined])
      const lines = await get('/packs/b/versions', { 'if-none-match': history.headers.etag })
      expect([lines.status, lines.json.data.length]).toEqual([200, 1])
    },
  )

  it.each([
    ['a small page', undefined],
    ['a page that is read twice', 'A KP comes back as it was. '.repeat(70_000)],
  ])('is sent again after its repair, in %s', async (_what, content) => {
    const { repair } = await start('an empty document', content)
    const first = await get('/packs/download')
    expect(first.json.meta.damaged).toEqual([{ slug: 'b', version: '1.0.0' }])
    const again = await get('/packs/download', { 'if-none-match': first.headers.etag })
    expect([again.status, again.json.data.length]).toEqual([200, 2])
    await repair()
    const repaired = await get('/packs/download', { 'if-none-match': first.headers.etag })
    expect([repaired.status, repaired.json.data.length]).toEqual([200, 3])
    expect(repaired.json.meta.damaged).toBeUndefined()
    expect((await get('/packs/download', { 'if-none-match': repaired.headers.etag })).status).toBe(304)
  })

  it('is left out if it was removed and its id cannot be read', async () => {
    const { run } = await start('an empty document')
    await api.catalog.packs.yank('b', '1.0.0', 'wrong', actor)
    await run(`update packs set id = 'x' where slug = 'b'`)
    const { status, json } = await get('/packs/download?updated_since=2000-01-01T00:00:00Z')
    expect([status, json.data.length, json.meta.damaged]).toEqual([200, 2, [{ slug: 'b', version: null }]])
  })
})
