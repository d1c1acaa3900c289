import { derivePackId } from '@packs/codec/internal'
import { CatalogError, createPackSearch, createReader, type Catalog } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { toApiError } from '../../src/errors/api-error.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const create = (slug: string, title: string, text: string): ReturnType<typeof makeVersion> =>
  makeVersion({ slug, title, content: `# ${title}\n\n${text}\n`, preview: `# ${title}\n\n${text}\n` })

const versions = [
  create('nuts', 'Walnuts and others', 'A walnut needs sun.'),
  create('tools', 'Garden tools', 'A hammer cracks a walnut.'),
  create('code', 'Code', `\`\`\`\n${'quaternion '.repeat(3000)}\n\`\`\``),
]
const api = await startApi({ versions })

const ask = (query: string, headers = {}, key = api.pro.key): Promise<ApiResponse> =>
  api.request(`/api/v1/context?${query}`, { key, headers })

describe('the tag of a context', () => {
  it('is another one for each thing that the answer depends on', async () => {
    const responses = await Promise.all([
      ask('q=walnut'),
      ask('q=walnut&budget=2001'),
      ask('q=walnut&tokenizer=cl100k_base'),
      ask('q=walnut&domain=tests'),
      ask('q=walnut&pack=nuts'),
      ask('q=walnut&pack=tools'),
      ask('q=walnuts'),
      ask('q=walnut', { accept: 'text/markdown' }),
      ask('q=walnut', {}, api.free.key),
    ])
    const tags = responses.map(({ headers }) => headers.etag)
    expect(new Set(tags).size).toBe(responses.length)
    for (const tag of tags) expect(tag).toMatch(/^W\/"[^"]+"$/)
  })

  it('is the same for the same parameters in another order or with their defaults', async () => {
    const [{ headers }, other] = await Promise.all([
      ask('q=walnut'),
      ask('tokenizer=o200k_base&budget=2000&q=walnut'),
    ])
    expect(other.headers.etag).toBe(headers.etag)
  })

  it('is another one once the catalog has changed', async () => {
    const { catalog } = api
    const before = await ask('q=walnut+peculiar')
    await catalog.packs.commit([create('new', 'New', 'A peculiar walnut.')])
    const after = await ask('q=walnut+peculiar', { 'if-none-match': before.headers.etag! })
    expect([after.status, after.headers.etag === before.headers.etag]).toEqual([200, false])
    expect(after.json['text']).toContain('A peculiar walnut.')
  })
})

describe('the forms of a context', () => {
  it('depend on Accept, and errors are problems in both', async () => {
    const headers = { accept: 'text/markdown' }
    const empty = await ask('q=xylophone', headers)
    expect([empty.status, empty.text, empty.headers['content-type']]).toEqual([
      200,
      'No section answers this question.\n',
      'text/markdown; charset=utf-8',
    ])
    expect(empty.headers.vary).toBe('x-api-key, Accept, Accept-Encoding')
    const statuses = []
    for (const query of ['q=', 'q=walnut&pack=unknown']) {
      const { status, headers: sent, json } = await ask(query, headers)
      expect(sent['content-type']).toBe('application/problem+json; charset=utf-8')
      statuses.push([status, json.code])
    }
    expect(statuses).toEqual([
      [400, 'invalid_parameter'],
      [404, 'pack_not_found'],
    ])
  })

  it('have the headers of a GET and no body for HEAD, which is charged alike', async () => {
    const { key } = await api.addCustomer('pro', 100)
    const get = await ask('q=walnut&budget=8000', {}, key)
    const head = await api.request('/api/v1/context?q=walnut&budget=8000', { key, method: 'HEAD' })
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', get.headers.etag])
    expect((await api.request('/api/v1/usage', { key })).json.used).toBe(4)
  })
})

describe('the quota', () => {
  it('is told in headers, and charges all or nothing', async () => {
    const { key } = await api.addCustomer('pro', 5)
    const first = await ask('q=walnut&budget=12000', {}, key)
    expect(first.headers.ratelimit).toMatch(/^"daily";r=2;/)
    const refused = await ask('q=walnut&budget=16000', {}, key)
    expect([refused.status, refused.json.code]).toEqual([429, 'quota_exceeded'])
    expect(refused.json['detail']).toContain('counts as 4, but only 2 of')
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    const last = await ask('q=walnut&budget=8000', {}, key)
    expect([last.status, last.headers.ratelimit]).toEqual([200, expect.stringMatching(/^"daily";r=0;/)])
    const again = await ask('q=walnut&budget=8000', { 'if-none-match': last.headers.etag! }, key)
    expect(again.status).toBe(304)
    expect((await ask('q=walnut', {}, key)).status).toBe(429)
  })
})

describe('the packs of a context', () => {
  it('may be named by slug and id, more than once', async () => {
    const named = async (rest: string): Promise<unknown> => (await ask(`q=walnut${rest}`)).json['passages']
    const nuts = await named('&pack=nuts')
    expect(nuts).toMatchObject([{ pack: 'nuts' }])
    expect(await named(`&pack=${derivePackId('nuts')}`)).toEqual(nuts)
    expect(await named(`&pack=nuts&pack=${derivePackId('nuts')}${'&pack=nuts'.repeat(18)}`)).toEqual(nuts)
  })

  it('that do not exist are an error with names that are like them', async () => {
    const { json } = await ask('q=walnut&pack=nuts&pack=gardens-tools')
    expect(json).toMatchObject({
      code: 'pack_not_found',
      detail: 'There is no pack "gardens-tools"',
      nearest: ['tools'],
    })
    expect((await ask('q=walnut&pack=zzz')).json).toMatchObject({ nearest: [] })
  })
})

/** Asks at the same time; returns how many were answered, and refused for their owner or for all. */
async function askAtOnce(catalog: Catalog, owners: readonly string[]): Promise<number[]> {
  const reader = createReader(catalog, 60_000)
  onTestFinished(() => reader.close())
  const packSearch = createPackSearch(catalog, reader.accounts.sections)
  const query = { text: 'walnut', budget: 500, tokenizer: 'o200k_base', scope: 'full' } as const
  const codes = await Promise.all(
    owners.map((owner) =>
      packSearch.context(query, owner).then(
        () => 'answered',
        ({ code }: { code: string }) => code,
      ),
    ),
  )
  const count = (code: string): number => codes.filter((one) => one === code).length
  return [count('answered'), count('too_many_at_once'), count('search_busy')]
}

describe('contexts at the same time', () => {
  it('are refused beyond 8 of an account and 64 in all', async () => {
    const owners = Array.from({ length: 70 }, (_, at) => `account ${at % 10}`)
    expect(
      await askAtOnce(
        api.catalog,
        Array.from({ length: 9 }, () => 'one'),
      ),
    ).toEqual([8, 1, 0])
    expect(await askAtOnce(api.catalog, owners)).toEqual([64, 0, 6])
  })

  it.each([
    ['search_busy', 'search_busy', '2'],
    ['catalog_busy', 'service_unavailable', '5'],
    ['too_many_at_once', 'too_many_at_once', '2'],
  ] as const)('that are refused with %s are problems, with one warning a minute', (code, known, wait) => {
    const caller = { account: { id: code } }
    const request = { id: 'r', method: 'GET', routeOptions: {}, caller } as FastifyRequest
    const lines: unknown[] = []
    const write = (level: string) => (fields: object) => void lines.push({ level, ...fields })
    const log = { warn: write('warn'), error: write('error') }
    const errors = [1, 2, 3].map(() => toApiError(new CatalogError(code, 'Wait', ''), request, log))
    for (const error of errors)
      expect(error).toMatchObject({
        code: known,
        message: 'Wait',
        extras: { headers: { 'retry-after': wait } },
      })
    expect(lines).toMatchObject([{ level: 'warn', account: code, code }])
  })
})
