import { expect, it } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'

const create = (slug: string, text: string): ReturnType<typeof makeVersion> =>
  makeVersion({ slug, title: slug, content: `# ${slug}\n\n${text}\n` })
const versions = [
  create('nuts', 'A walnut needs sun and room.'),
  create('tools', 'A walnut is cracked with a hammer.'),
]

describeDatabases('GET /context of a faulty catalog in %s', (database, kind) => {
  let url: string
  let api: TestApi
  const start = async (...damage: readonly string[]): Promise<void> => {
    url = await database.createCatalog()
    const catalog = await database.open(url)
    await catalog.packs.commit(versions)
    for (const statement of damage) await database.run(url, statement)
    api = await startApi({ catalog })
  }
  const ask = (q: string, headers = {}): Promise<ApiResponse> =>
    api.request(`/api/v1/context?q=${q}`, { key: api.pro.key, headers })

  it.each(['drop table search_terms', 'drop table search_entries'])(
    'is 503 after: %s, even if the damage is new',
    async (damage) => {
      await start()
      expect((await ask('walnut')).status).toBe(200)
      await database.run(url, damage)
      for (const q of ['walnut+hammer', 'walnut+sun']) {
        const { status, headers, json } = await ask(q)
        expect([status, json.code, headers['retry-after']]).toEqual([503, 'service_unavailable', '5'])
      }
    },
  )

  it('omits what is damaged without calling it locked, and logs it', async () => {
    const garbage = kind === 'SQLite' ? `cast('garbage' as blob)` : `'garbage'::bytea`
    await start(`update versions set document = ${garbage} where sequence = 1; delete from section_texts`)
    const first = await ask('walnut')
    expect(first.json).toMatchObject({ passages: [{ pack: 'tools' }], omitted: [] })
    expect(api.log.join()).toContain('"code":"damaged_pack","damaged":["nuts@1.0.0"]')
    const again = await ask('walnut', { 'if-none-match': first.headers.etag! })
    expect(again.status).toBe(200)
    expect((await ask('walnut&pack=nuts')).json).toMatchObject({ passages: [], omitted: [] })
  })

  it('says that a pack is damaged that is asked for, and charges nothing', async () => {
    await start(`update versions set summary = 'garbage' where sequence = 1`)
    const { status, json } = await ask('walnut&pack=nuts')
    expect([status, json.code]).toEqual([500, 'damaged_pack'])
    expect((await ask('walnut')).json).toMatchObject({ passages: [{ pack: 'tools' }] })
    const usage = await api.request('/api/v1/usage', { key: api.pro.key })
    expect(usage.json.used).toBe(1)
  })
})
