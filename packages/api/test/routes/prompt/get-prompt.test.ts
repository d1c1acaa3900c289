import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { composePrompt, type ComposeOptions } from '@packs/codec/prompt'
import { decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { loadTokenizer } from '@packs/codec/tokens'
import { openCatalog, type NewVersion } from '@packs/catalog'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { actor } from '../../../../catalog/test/test-actor.ts'
import { buildVersion } from '../../build-version.ts'
import type { ApiResponse } from '../../check-response.ts'
import { MAX_PER_ACCOUNT } from '../../../src/prompts/create-prompt-thread.ts'
import { makePack } from '../../sample-packs.ts'
import { startApi, type TestApi } from '../../start-api.ts'

const sentence = (subject: string): string =>
  `The ${subject} signs a certificate signing request with the certificate authority of the knowledge pack.\n`
const body = (subject: string): string => `# ${subject}\n\n${sentence(subject).repeat(12)}`

let api: TestApi
const packs = new Map<string, Pack>()

/** Builds the versions of the catalog: packs of two schemes, one of them with several versions. */
async function buildVersions(): Promise<readonly NewVersion[]> {
  const built = [
    await buildVersion({ slug: 'tls', body: body('server') }),
    await buildVersion({ slug: 'tls', version: '1.2.0', parent: '1.0.0', body: body('proxy') }),
    await buildVersion({ slug: 'tls', version: '2.0.0', parent: '1.2.0', body: body('client') }),
    await buildVersion({ slug: 'http', body: body('gateway'), scheme: 'dense-1' }),
    await buildVersion({ slug: 'plain', body: 'A word.\n', scheme: 'none' }),
  ]
  for (const { pack } of built) packs.set(`${pack.slug}@${pack.version}`, pack)
  const huge = { compression: 'none', rosetta: '[DECODE]', content: 'x'.repeat(9 * 1024 * 1024) } as const
  return [
    ...built,
    makePack({ slug: 'other-tokens' }, { tokenizer: 'cl100k_base' }),
    makePack({ slug: 'huge-1' }, huge),
    makePack({ slug: 'huge-2' }, huge),
    makePack({ slug: 'gone' }),
  ]
}

beforeAll(async () => {
  api = await startApi({ versions: await buildVersions() })
  await api.catalog.packs.yank('tls', '2.0.0', 'wrong', actor)
  await api.catalog.packs.yank('gone', '1.0.0', 'wrong', actor)
  await loadTokenizer('cl100k_base')
})
afterAll(() => api.close())

const get = (
  query: string,
  { key = api.pro.key, ...headers }: Record<string, string> = {},
): Promise<ApiResponse> => api.request(`/api/v1/prompt?${query}`, { key, headers })
const pick = (...names: string[]): readonly Pack[] => names.map((name) => packs.get(name)!)
const readLeft = ({ headers }: ApiResponse): number =>
  Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])

describe('GET /prompt', () => {
  it.each([
    ['pack=tls&pack=http', ['tls@1.2.0', 'http@1.0.0'], {}],
    ['pack=http&pack=tls', ['http@1.0.0', 'tls@1.2.0'], {}],
    ['pack=http', ['http@1.0.0'], {}],
    ['pack=plain', ['plain@1.0.0'], {}],
    ['pack=tls&pack=tls', ['tls@1.2.0', 'tls@1.2.0'], {}],
    ['pack=tls@%5E1.0&pack=plain', ['tls@1.2.0', 'plain@1.0.0'], {}],
    ['pack=tls@1.0.0&pack=http@latest', ['tls@1.0.0', 'http@1.0.0'], {}],
    ['pack=tls@%3C1.2&pack=http', ['tls@1.0.0', 'http@1.0.0'], {}],
    ['pack=tls@2.0.0&pack=http', ['tls@2.0.0', 'http@1.0.0'], {}],
    ['pack=tls&pack=http&scheme=max-1', ['tls@1.2.0', 'http@1.0.0'], { scheme: 'max-1' }],
    ['pack=tls&pack=http&tokenizer=cl100k_base', ['tls@1.2.0', 'http@1.0.0'], { tokenizer: 'cl100k_base' }],
    ['pack=tls&pack=http&budget=400', ['tls@1.2.0', 'http@1.0.0'], { budget: 400 }],
    ['pack=plain&pack=http&budget=60&fit=first', ['plain@1.0.0', 'http@1.0.0'], { budget: 60, fit: 'first' }],
  ] as const)('gives the bytes of composePrompt: %s', async (query, names, options) => {
    const local = composePrompt(pick(...names), options satisfies ComposeOptions)
    const { json } = await get(query)
    const { costs } = local.plan
    expect(json).toEqual({
      text: local.text,
      rosetta: local.rosetta,
      terms: local.terms,
      state: local.state,
      tokens: local.tokens,
      tokenizer: local.tokenizer,
      scheme: local.scheme,
      plan: {
        chosen: local.plan.chosen.replace('asBuilt', 'as_built'),
        costs: { sources: costs.sources, as_built: costs.asBuilt ?? null, together: costs.together ?? null },
      },
      packs: local.shares.map(({ slug, tokens }, at) => {
        const { version, pack_digest } = pick(...names)[at]!
        return { slug, version, pack_digest, tokens }
      }),
      notes: local.notes,
    })
    const text = await get(query, { accept: 'text/markdown' })
    expect(text.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(text.text).toBe(local.text)
  })

  it('gives the sources under the scheme none', async () => {
    const { json } = await get('pack=tls&pack=http&scheme=none')
    const { tokens } = json
    expect(json['plan']).toEqual({
      chosen: 'sources',
      costs: { sources: tokens, as_built: null, together: null },
    })
    expect(json['terms']).toEqual([])
  })

  it('finds packs by id, and its header decodes the text', async () => {
    const { id } = packs.get('http@1.0.0')!
    const { json } = await get(`pack=${id}@1.x`)
    expect(decode(String(json['text']), json.rosetta!)).toContain(sentence('gateway'))
  })

  it('omits the packs that do not fit', async () => {
    const { json } = await get('pack=plain&pack=http&budget=60&fit=first')
    expect(json['packs']).toMatchObject([{ slug: 'plain' }])
  })

  it.each([
    ['', 'pack', 'is required'],
    ['pack=', 'pack', 'is empty'],
    ['pack=Not%20a%20slug', 'pack', '"Not a slug" is not the name of a pack'],
    ['pack=tls&pack=http@new', 'pack', '"new" is not a range of versions'],
    [Array.from({ length: 51 }, () => 'pack=tls').join('&'), 'pack', 'at most 50 times'],
    ['pack=tls&scheme=zip', 'scheme', 'must be one of'],
    ['pack=tls&scheme=none&scheme=none', 'scheme', 'is repeated'],
    ['pack=tls&tokenizer=p50k', 'tokenizer', 'must be'],
    ['pack=tls&budget=0', 'budget', 'whole number'],
    ['pack=tls&budget=9&fit=last', 'fit', 'must be first'],
    ['pack=tls&fit=first', 'fit', 'needs the parameter budget'],
    ['pack=tls&pack=other-tokens', 'tokenizer', 'different tokenizers: o200k_base and cl100k_base'],
    ['pack=tls&limit=3', 'limit', 'is unknown'],
  ])('rejects %s without charging it', async (query, parameter, detail) => {
    const before = readLeft(await api.request('/api/v1/usage', { key: api.pro.key }))
    const response = await get(query)
    expect([response.status, response.json.errors]).toEqual([
      400,
      [{ parameter, detail: expect.stringContaining(detail) as string }],
    ])
    expect(readLeft(response)).toBe(before)
  })

  it.each([
    ['pack=tls&pack=nothing', 'pack_not_found', 'There is no pack "nothing"'],
    ['pack=gone', 'pack_not_found', 'There is no pack "gone"'],
    ['pack=gone@1.x', 'version_not_found', 'gone has no version 1.x; it has 1.0.0 (yanked)'],
    ['pack=http&pack=tls@%5E2', 'version_not_found', 'it has 2.0.0 (yanked), 1.2.0, 1.0.0'],
    ['pack=tls@3.0.0', 'version_not_found', 'tls has no version 3.0.0'],
  ])('charges one request for the unknown pack of %s', async (query, code, detail) => {
    const before = readLeft(await api.request('/api/v1/usage', { key: api.pro.key }))
    const response = await get(query)
    expect([response.status, response.json.code]).toEqual([404, code])
    expect(response.json['detail']).toContain(detail)
    expect(readLeft(response)).toBe(before - 1)
  })

  it('needs a Pro account, and charges others nothing', async () => {
    const response = await get('pack=tls', { key: api.free.key })
    expect(response.json).toMatchObject({ status: 403, code: 'tier_required', required_tier: 'pro' })
    expect(readLeft(response)).toBe(10_000_000)
  })

  it('charges a request for each pack, all or none, and nothing for a 304', async () => {
    const { key } = await api.addCustomer('pro', 5)
    const first = await get('pack=tls&pack=http&pack=tls', { key })
    expect([first.status, readLeft(first)]).toEqual([200, 2])
    const tooMany = await get('pack=tls&pack=http&pack=plain', { key })
    expect([tooMany.status, tooMany.json.code, readLeft(tooMany)]).toEqual([429, 'quota_exceeded', 2])
    expect(tooMany.json['detail']).toContain("counts as 3, but only 2 of today's 5")
    const known = await get('pack=tls&pack=http&pack=tls', { key, 'if-none-match': first.headers.etag! })
    expect([known.status, readLeft(known)]).toEqual([304, 2])
    expect(readLeft(await get('pack=plain&pack=tls', { key }))).toBe(0)
  })

  it('says what a prompt over its budget takes, and charges it', async () => {
    const { key } = await api.addCustomer('pro', 10)
    const { tokens, shares } = composePrompt(pick('tls@1.2.0', 'http@1.0.0'))
    const response = await get('pack=tls&pack=http&budget=20', { key })
    expect(response.status).toBe(422)
    expect(response.json).toMatchObject({ code: 'over_budget', tokens, shares })
    expect(response.json['detail']).toContain(`takes ${tokens} tokens; the budget is 20`)
    expect(readLeft(response)).toBe(8)
  })

  it('rejects sources over 16 MiB', async () => {
    const { status, json } = await get('pack=huge-1&pack=huge-2')
    expect([status, json.code]).toEqual([422, 'prompt_too_large'])
    expect(json['detail']).toContain('pack 2 (huge-2)')
  })

  it('has a strong tag of versions, options and format, and marks yanked versions', async () => {
    const queries = [
      'pack=tls',
      'pack=tls@1.0.0',
      'pack=tls&scheme=none',
      'pack=tls&budget=9000',
      'pack=http',
    ]
    const responses: ApiResponse[] = []
    for (const query of queries) responses.push(await get(query))
    const text = await get('pack=tls', { accept: 'text/markdown' })
    const tags = [...responses, text].map(({ headers }) => headers.etag)
    expect(new Set(tags).size).toBe(6)
    expect(tags.filter((tag) => !tag?.startsWith('"prompt.'))).toEqual([])
    expect((await get('pack=tls@1.2.0')).headers.etag).toBe(tags[0])
    expect(responses[0]?.headers['x-yanked']).toBeUndefined()
    expect((await get('pack=tls@2.0.0')).headers['x-yanked']).toBe('true')
  })

  it('has a digest of the sent bytes', async () => {
    const { bytes, headers } = await get('pack=tls')
    expect(headers['content-digest']).toBe(`sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`)
  })
})

async function readUsed(watched: TestApi, key: string): Promise<number> {
  const { json } = await watched.request('/api/v1/usage', { key })
  return Number(json['used'])
}

/** Starts an API that composes in this thread, with a spy on the documents that are read. */
async function startWatched() {
  const catalog = await openCatalog({ url: ':memory:' })
  await catalog.packs.commit([await buildVersion({ slug: 'tls', body: body('server') })])
  const read = vi.spyOn(catalog.packs, 'read')
  const watched = await startApi({ catalog })
  onTestFinished(async () => {
    await watched.close()
    await catalog.close()
  })
  return { read, watched }
}

describe('a prompt that several clients request at once', () => {
  it('is composed once, charged to each, and cached', async () => {
    const { read, watched } = await startWatched()
    const request = (): Promise<ApiResponse> =>
      watched.request('/api/v1/prompt?pack=tls', { key: watched.pro.key })
    const responses = await Promise.all(Array.from({ length: 8 }, request))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(Math.min(...responses.map(readLeft))).toBe(10_000_000 - 8)
    await request()
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('costs nothing if there is no slot for it', async () => {
    const { read, watched } = await startWatched()
    const gate = Promise.withResolvers<undefined>()
    read.mockReturnValueOnce(gate.promise)
    const { key } = await watched.addCustomer('pro', 100)
    const request = (budget: number): Promise<ApiResponse> =>
      watched.request(`/api/v1/prompt?pack=tls&budget=${budget}`, { key })
    const budgets = Array.from({ length: MAX_PER_ACCOUNT }, (_, at) => 9001 + at)
    const waiting = budgets.map((budget) => request(budget))
    await vi.waitFor(async () => expect(await readUsed(watched, key)).toBe(MAX_PER_ACCOUNT), {
      timeout: 60_000,
    })
    const rejected = await request(9000)
    expect([rejected.status, rejected.json.code]).toEqual([503, 'service_unavailable'])
    expect(rejected.headers['retry-after']).toBe('5')
    expect(await readUsed(watched, key)).toBe(MAX_PER_ACCOUNT)
    const joined = request(9001)
    const other = watched.request('/api/v1/prompt?pack=tls', { key: watched.pro.key })
    await vi.waitFor(async () => expect(await readUsed(watched, key)).toBe(MAX_PER_ACCOUNT + 1), {
      timeout: 60_000,
    })
    gate.resolve(undefined)
    expect((await other).status).toBe(200)
    await Promise.all([...waiting, joined])
    expect((await request(9000)).status).toBe(200)
  })

  it('is not composed for clients that have left', async () => {
    const { read, watched } = await startWatched()
    const gate = Promise.withResolvers<undefined>()
    read.mockReturnValueOnce(gate.promise)
    const leaving = new AbortController()
    const url = `http://127.0.0.1:${watched.port}/api/v1/prompt?pack=tls`
    const { signal } = leaving
    const left = fetch(url, { headers: { 'x-api-key': watched.pro.key }, signal }).catch(String)
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1), { timeout: 60_000 })
    leaving.abort()
    expect(await left).toContain('AbortError')
    await vi.waitFor(
      async () => {
        const connections = promisify(watched.app.server.getConnections.bind(watched.app.server))
        expect(await connections()).toBeLessThanOrEqual(1)
      },
      { timeout: 60_000 },
    )
    const next = watched.request('/api/v1/prompt?pack=tls', { key: watched.pro.key })
    gate.resolve(undefined)
    expect((await next).status).toBe(200)
    expect(read).toHaveBeenCalledTimes(2)
    expect(watched.log).toEqual([])
  })
})
