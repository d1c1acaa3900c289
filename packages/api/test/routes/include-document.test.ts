import { createHash } from 'node:crypto'
import { serializeCanonical } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makePack } from '../sample-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const METADATA = JSON.parse(
  '{"weight":3,"nested":{"b":[1.5,null],"__proto__":{"10":"ä"}}}',
) as Pack['metadata']
const HIDDEN = { metadata: METADATA!, front_matter: '---\nweight: 3\n---\n' }
const GLOSSARY = [
  { expansion: 'knowledge pack', term: 'KP' },
  { expansion: 'Go', never: true as const },
]

const api = await startApi({
  versions: [
    makePack({ slug: 'bare' }),
    makePack({ slug: 'rules' }, { glossary: GLOSSARY, code: true }),
    makePack({ slug: 'described', description: 'What <b>Go</b> is.', tags: ['go', '統計'] }),
    makePack({ slug: 'metadata', ...HIDDEN }),
    makePack(
      { slug: 'everything', description: 'All of it.', tags: ['all'], ...HIDDEN },
      { glossary: GLOSSARY, code: true },
    ),
    makePack(
      { slug: 'large', tags: ['large'], ...HIDDEN },
      { content: 'A line of a large pack.\n'.repeat(10_000), glossary: GLOSSARY },
    ),
  ],
})

type Sent = Pack & { readonly slug: string }

const SLUGS = ['bare', 'rules', 'described', 'metadata', 'everything', 'large']
const paths = SLUGS.flatMap((slug) => [`/packs/${slug}`, `/packs/${slug}/versions/1.0.0`])
const NDJSON = { accept: 'application/x-ndjson' }

const get = (path: string, tier: 'free' | 'pro' = 'pro', headers = {}): Promise<ApiResponse> =>
  api.request(`/api/v1${path}`, { key: api[tier].key, headers })
const digest = (pack: Sent): string => createHash('sha256').update(serializeCanonical(pack)).digest('hex')
const parse = (text: string): Sent => JSON.parse(text) as Sent
const download = async (query: string, headers: object): Promise<readonly Sent[]> => {
  const { text } = await get(`/packs/download${query}`, 'pro', headers)
  return headers === NDJSON
    ? text.trimEnd().split('\n').map(parse)
    : (JSON.parse(text) as { readonly data: readonly Sent[] }).data
}

describe('include=document', () => {
  it.each(paths)('sends Pro accounts what pack_digest covers: %s', async (path) => {
    const pack = parse((await get(`${path}?include=document`)).text)
    expect(digest(pack)).toBe(pack.pack_digest)
  })

  it.each([{}, NDJSON])('sends it in downloads with %o', async (headers) => {
    const packs = await download('?include=document', headers)
    expect(packs.map(({ slug }) => slug)).toEqual(SLUGS)
    expect(packs.map(digest)).toEqual(packs.map(({ pack_digest }) => pack_digest))
  })

  it('sends what the document has, byte for byte', async () => {
    const { text } = await get('/packs/everything?include=document')
    const fields = [
      '"description":"All of it.","tags":["all"]',
      `"metadata":${JSON.stringify(METADATA)}`,
      `"front_matter":${JSON.stringify(HIDDEN.front_matter)}`,
      `"glossary":${JSON.stringify(GLOSSARY)},"code":true`,
    ]
    for (const field of fields) expect(text).toContain(field)
  })

  it('omits what the document does not have', async () => {
    const pack = parse((await get('/packs/bare?include=document')).text)
    const absent = ['description', 'tags', 'metadata', 'front_matter', 'glossary', 'code']
    expect(Object.keys(pack).filter((name) => absent.includes(name))).toEqual([])
  })

  it.each(['/packs/everything', '/packs/everything/versions/1.0.0', '/packs/download'])(
    'has a tag of its own: %s',
    async (path) => {
      const plain = await get(path)
      const whole = await get(`${path}?include=document`)
      expect(whole.headers.etag).not.toBe(plain.headers.etag)
      const known = { 'if-none-match': whole.headers.etag! }
      expect((await get(`${path}?include=document`, 'pro', known)).status).toBe(304)
      expect((await get(path, 'pro', known)).status).toBe(200)
    },
  )

  it('is in the links of a download, whose cursors work with it and without', async () => {
    const { headers } = await get('/packs/download?include=document&difficulty=beginner')
    const [, next = ''] = /^<\/api\/v1([^>]+)>/.exec(String(headers.link)) ?? []
    expect(next).toMatch(/^\/packs\/download\?difficulty=beginner&include=document&cursor=/)
    expect((await get(next)).status).toBe(200)
    expect((await get(next.replace('&include=document', ''))).status).toBe(200)
  })

  it.each(['/packs/everything', '/packs/everything/versions/1.0.0'])(
    'changes nothing for Free accounts: %s',
    async (path) => {
      const plain = await get(path, 'free')
      const same = await get(`${path}?include=document`, 'free')
      expect([same.text, same.headers.etag]).toEqual([plain.text, plain.headers.etag])
      expect(plain.json).toMatchObject({ format: 'packs/1', preview: true })
      expect(plain.text).not.toMatch(/pack_digest|preview_content|"glossary"|"code"/)
    },
  )

  it.each(['documents', 'document&include=document', ''])('is not %o', async (value) => {
    for (const path of ['/packs/bare', '/packs/bare/versions/1.0.0', '/packs/download']) {
      const { status, json } = await get(`${path}?include=${value}`)
      expect([status, json.errors[0]?.parameter]).toEqual([400, 'include'])
    }
  })

  it.each(['/packs', '/packs/bare/versions', '/search', '/packs/bare/sections'])(
    'is no parameter of %s',
    async (path) => {
      expect((await get(`${path}?include=document`)).status).toBe(400)
    },
  )
})

describe('without include', () => {
  const ADDED = ['format', 'pack_digest', 'preview_content', 'glossary', 'code']

  it.each([{}, NDJSON])('downloads have no metadata with %o', async (headers) => {
    const packs = await download('', headers)
    expect(packs.map((pack) => ADDED.filter((name) => name in pack).length)).toEqual([3, 5, 3, 3, 5, 4])
    for (const pack of packs) expect(Object.keys(pack)).not.toContain('metadata')
  })

  it('the digest covers all that a pack without description, tags and metadata has', async () => {
    const { description, tags, ...pack } = parse((await get('/packs/rules')).text)
    expect([description, tags]).toEqual([null, []])
    expect(digest(pack)).toBe(pack.pack_digest)
  })

  it('lists have none of the new fields, and search the digest only', async () => {
    for (const path of ['/packs', '/search?q=knowledge', '/packs/everything/versions'])
      expect((await get(path)).text).not.toMatch(/preview_content|"glossary"|"code"|"format"/)
    for (const path of ['/packs', '/packs/everything/versions'])
      expect((await get(path)).text).not.toContain('pack_digest')
  })
})
