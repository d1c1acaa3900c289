import { loadTokenizer } from '@packs/codec/compress'
import { sealPack } from '@packs/codec/internal'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'
import { bread, redis } from './redis-pack.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

const body = redis
  .replace('store.', 'store for walnut farms.')
  .replace(
    'or both.',
    `or both. ${'A snapshot is written by a child process, so that the parent goes on answering. '.repeat(4)}`,
  )

const plain = await buildVersion({ slug: 'redis', title: 'Redis in practice', body })
const { pack_digest: _, ...draft } = plain.pack
const versions = [
  { ...plain, pack: sealPack({ ...draft, url: 'https://redis.example/guide' }) },
  await bread,
  await buildVersion({
    slug: 'large',
    title: 'Large code',
    body: `# Large code\n\n\`\`\`\n${'quaternion '.repeat(3000)}\n\`\`\`\n`,
    scheme: 'none',
  }),
] as const

describeDatabases('GET /context in %s', async (database) => {
  const catalog = await database.open(await database.createCatalog())
  await catalog.packs.commit(versions)
  const api = await startApi({ catalog })

  const ask = (q: string, rest = '', key = api.pro.key, headers = {}): Promise<ApiResponse> =>
    api.request(`/api/v1/context?q=${encodeURIComponent(q)}${rest}`, { key, headers })
  const readUsed = async (key: string): Promise<number> =>
    Number((await api.request('/api/v1/usage', { key })).json['used'])

  it('has the sections that answer, counted exactly', async () => {
    const { status, json } = await ask('which keys are evicted when the memory is full')
    const tokenizer = await loadTokenizer('o200k_base')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      text: expect.stringContaining(
        '## Eviction\n\nWhen the memory is full, the least recently used keys are evicted.',
      ),
      tokens: tokenizer.countTokens(json['text'] as string),
      tokenizer: 'o200k_base',
      budget: 2000,
      needed: null,
      match: 'good',
      corrected: null,
    })
    const passages = json['passages'] as readonly Record<string, unknown>[]
    expect(passages[0]).toMatchObject({
      pack: 'redis',
      title: 'Redis in practice',
      url: expect.stringMatching(/^https:\/\/redis\.example\/guide#\S+$/),
      version: '1.0.0',
      pack_digest: versions[0].pack.pack_digest,
    })
    expect(passages.flatMap(({ sections }) => sections)).toContain('eviction')
    for (const { text } of passages) expect(json['text']).toContain(`>\n${String(text)}\n</doc>`)
  })

  it('is text alone for Accept: text/markdown', async () => {
    const { json } = await ask('append-only file')
    const text = await ask('append-only file', '', api.pro.key, { accept: 'text/markdown' })
    expect(text.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(text.text).toBe(json['text'])
  })

  it.each([
    ['append-only file', '', 1, 200],
    ['append-only file', '&budget=4000', 1, 200],
    ['append-only file', '&budget=4001', 2, 200],
    ['append-only file', '&budget=16000', 4, 200],
    ['xylophone', '&budget=8000', 2, 200],
    ['quaternion', '&budget=200&pack=large', 1, 200],
    ['walnut', '&pack=unknown', 1, 404],
    ['walnut', '&budget=0', 0, 400],
  ])('charges %s%s as %i', async (q, rest, count, status) => {
    const { key } = await api.addCustomer('pro', 100)
    expect((await ask(q, rest, key)).status).toBe(status)
    expect(await readUsed(key)).toBe(count)
  })

  it('searches only packs and domains that are named', async () => {
    const passages = async (rest: string): Promise<readonly { readonly pack: string }[]> =>
      (await ask('water and memory', rest)).json['passages'] as never
    expect(new Set((await passages('')).map(({ pack }) => pack))).toEqual(new Set(['bread', 'redis']))
    expect((await passages('&pack=bread')).map(({ pack }) => pack)).toEqual(['bread'])
    expect(await passages('&pack=bread&pack=redis')).toEqual(await passages(''))
    expect(await passages('&domain=nothing')).toEqual([])
  })

  it.each(
    listPairs([
      ['q', '', 'q=', `q=${'a'.repeat(401)}`],
      ['budget', 'q=a&budget=0', 'q=a&budget=16001', 'q=a&budget=2e3'],
      ['pack', 'q=a&pack=redis@1.0.0', 'q=a&pack=redis@^1', 'q=a&pack=%20', `q=a${'&pack=redis'.repeat(21)}`],
      ['tokenizer', 'q=a&tokenizer=gpt2'],
      ['limit', 'q=a&limit=3'],
      ['fill', 'q=a&fill=1', 'pack=redis&fill=true'],
    ]),
  )('is 400 for %s', async (query, parameter) => {
    const { status, json } = await api.request(`/api/v1/context?${query}`, { key: api.pro.key })
    expect([status, json['code']]).toEqual([400, 'invalid_parameter'])
    expect(json['errors']).toMatchObject([{ parameter }])
  })

  it('gives Free accounts passages of previews, and names what is locked', async () => {
    const open = await ask('in-memory store for walnut farms', '', api.free.key)
    expect(open.json['text']).toContain('An in-memory store for walnut farms.')
    const locked = await ask('append-only file', '', api.free.key)
    expect(locked.json['text']).not.toContain('append-only')
    expect(locked.json['omitted']).toContainEqual(
      expect.objectContaining({ pack: 'redis', section: 'persistence', reason: 'locked' }),
    )
  })

  it('gives a Free account no word beyond a preview, whatever it asks', async () => {
    const preview = versions.map(({ pack }) => pack.preview_content).join('\n')
    const words = fc.array(fc.constantFrom(...body.split(/\s+/)), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 200, max: 4000 }), async (asked, budget) => {
        const { status, json } = await ask(
          asked.join(' ').replaceAll('"', ''),
          `&budget=${budget}`,
          api.free.key,
        )
        expect([200, 429]).toContain(status)
        const passages = (json['passages'] ?? []) as readonly Record<'title' | 'text', string>[]
        for (const { title, text } of passages)
          for (const line of text.split(/\n|\[…\]| › /)) expect(`${title}\n${preview}`).toContain(line.trim())
      }),
      { numRuns: 30 },
    )
  })
})
