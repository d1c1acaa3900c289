import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { startMcp, type TestMcp } from '../mcp/start-mcp.ts'

/** Locked words in scripts and forms of their own. In both orders, each has the same tokens. */
const WORDS = {
  words: 'quartz lantern violet copper basalt meadow harbor walnut signal ember',
  two: 'seven nine',
  prices: '450 920 130 770 310 860 240 590',
  greek: 'αλφα βητα γαμμα δελτα',
  cyrillic: 'замок ключ дверь окно',
  arabic: 'مفتاح باب نافذة جدار',
  hindi: 'चाबी दरवाजा खिड़की दीवार',
  emoji: '🔑 🚪 🪟 🧱',
  code: '`first` `second` `third` `fourth`',
  links: '[red](https://a.example/) [blue](https://b.example/) [green](https://c.example/)',
  long: Array.from({ length: 80 }, (_, at) => `mark${at}`).join(' '),
  lines: 'one two three',
} as const
const SCHEMES = { none: 'none', minified: 'minify-1', dense: 'dense-2' } as const
const OPEN = Array.from({ length: 12 }, (_, at) => `Sentence ${at} of the open part is here.`).join(' ')
const PACKS = Object.entries(WORDS).flatMap(([name, words]) =>
  Object.entries(SCHEMES).map(([suffix, scheme]) => ({ slug: `${name}-${suffix}`, scheme, words })),
)

async function startWith(isTurned: boolean): Promise<TestMcp> {
  const versions = PACKS.map(({ slug, scheme, words }) => {
    const parts = words.split(' ')
    const order = (isTurned ? parts.toReversed() : parts).join(slug.startsWith('lines') ? '\n- or ' : ' ')
    const locked = `## Codes\n\nThe codes\n\n- or ${order} and nothing else.\n\n### After\n\nThe end.\n`
    return buildVersion({
      slug,
      scheme,
      body: `# Guide\n\nIt is short.\n\n## Steps\n\n${OPEN} ${OPEN}\n\n${locked}`,
    })
  })
  return startMcp('http://packs.example', await Promise.all(versions))
}

vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-04T05:06:07Z') })
afterAll(() => void vi.useRealTimers())
const servers = [await startWith(false), await startWith(true)]
const free = await Promise.all(servers.map((server) => server.addKey('free', 1_000_000)))

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly tier?: 'pro'
}

async function ask(at: number, { path, method = 'GET', headers = {}, body, tier }: Asked) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const key = tier === 'pro' ? servers[at]!.pro : free[at]!
  const own = { host: 'packs.example', ...(/^\/(?:api|mcp)/.test(path) && { 'x-api-key': key }), ...headers }
  request(servers[at]!.origin, { path, headers: own, method }, resolve).on('error', reject).end(body)
  const response = await promise
  const { date: _date, 'x-request-id': id, ...rest } = response.headers
  const text = (await buffer(response)).toString().replaceAll(String(id), '')
  return { status: response.statusCode, headers: rest, text }
}

/** Compares the answers of both catalogs to the same requests, and returns one. */
async function compare(path: string, asked: Omit<Asked, 'path'> = {}): Promise<string> {
  // Limits of a minute begin again.
  vi.setSystemTime(Date.now() + 61_000)
  const [first, second] = [await ask(0, { path, ...asked }), await ask(1, { path, ...asked })]
  expect({ path, asked, ...second }).toEqual({ path, asked, ...first })
  return first.text
}

async function compareAll(path: string): Promise<void> {
  for (const accept of ['*/*', 'application/json', 'text/markdown, text/html', 'application/x-ndjson'])
    await compare(path, { headers: { accept } })
  await compare(path, { method: 'HEAD' })
}

describe.each(PACKS.map(({ slug }) => slug))('%s', (slug) => {
  it('has other digests in another order, but the same counts', async () => {
    const found = await Promise.all(servers.map(({ catalog }) => catalog.packs.find(slug)))
    const [counts, others] = found.map((pack) => [
      pack!.token_count,
      pack!.rosetta_tokens,
      pack!.uncompressed_estimate,
    ])
    expect(counts).toEqual(others)
    expect(found[0]!.pack_digest).not.toBe(found[1]!.pack_digest)
  })

  it.each([
    '/api/v1/packs/SLUG',
    '/api/v1/packs/SLUG?include=document',
    '/api/v1/packs/SLUG/versions',
    '/api/v1/packs/SLUG/versions/1.0.0',
    '/api/v1/packs/SLUG/sections',
    '/api/v1/packs/SLUG/versions/1.0.0/sections?limit=2&page=2',
    '/api/v1/packs/SLUG/sections/guide',
    '/api/v1/packs/SLUG/sections/codes',
    '/api/v1/packs/SLUG/sections/nothing',
    '/api/v1/context?pack=SLUG',
    '/api/v1/context?q=codes+order&pack=SLUG&budget=200',
    '/api/v1/context?q=open+part&pack=SLUG',
    '/browse/SLUG',
    '/browse/SLUG/1.0.0',
    '/browse/SLUG.md',
    '/browse/SLUG.pack.json',
    '/browse/SLUG/use',
    '/browse/SLUG/1.0.0/use.md',
    '/browse/SLUG/versions',
    '/browse/SLUG/1.0.0/changes',
    '/browse/SLUG/1.0.0/section?id=codes',
    '/prompt?pack=SLUG',
  ])('no byte of %s depends on the order', (path) => compareAll(path.replace('SLUG', slug)))
})

describe('lists and tools', () => {
  it.each([
    '/api/v1/packs',
    '/api/v1/search?q=codes&limit=50',
    '/api/v1/search?q=nothing+else&max_tokens=100',
    '/api/v1/packs/download',
    '/api/v1/usage',
    '/api/status',
    '/.well-known/packs-keys.json',
    '/',
    '/browse',
    '/browse?search=codes',
    '/feed.xml',
    '/llms.txt',
    '/sitemap.xml',
  ])('no byte of %s depends on the order', (path) => compareAll(path))

  it.each([
    ['search_packs', { query: 'codes order' }],
    ['read_pack', { pack: 'words-none' }],
    ['read_pack', { pack: 'words-none', section: 'codes' }],
    ['read_pack', { pack: 'words-dense', section: 'guide' }],
  ])('nor of the tool %s with %j', async (name, values) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } }
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
    }
    const text = await compare('/mcp', { method: 'POST', headers, body: JSON.stringify(call) })
    expect(text).toContain('result')
    expect(text).not.toMatch(/[0-9a-f]{64}/)
  })

  it('rounds the tokens of locked sections, also where they limit a search', async () => {
    const read = async <T>(path: string, tier?: 'pro'): Promise<T> =>
      JSON.parse((await ask(0, { path, ...(tier && { tier }) })).text) as T
    interface Outline {
      readonly data: { id: string; tokens: number; subtree_tokens: number; in_preview: boolean }[]
    }
    const path = '/api/v1/packs/words-none/sections'
    const [{ data: shown }, { data: exact }] = [await read<Outline>(path), await read<Outline>(path, 'pro')]
    expect(shown.some(({ in_preview }) => !in_preview)).toBe(true)
    const open = shown.filter(({ in_preview }) => in_preview)
    expect(open).toEqual(
      exact.slice(0, open.length).map((line, at) => ({ ...line, subtree_tokens: open[at]!.subtree_tokens })),
    )
    const locked = shown.filter(({ in_preview }) => !in_preview)
    expect(locked.flatMap((line) => [line.tokens % 50, line.subtree_tokens % 50]).some(Boolean)).toBe(false)
    const { tokens } = exact.find(({ id }) => id === 'codes')!
    const find = (most: number, tier?: 'pro') =>
      read<{ data: unknown }>(`/api/v1/search?q=codes&max_tokens=${most}&limit=50`, tier)
    expect((await find(tokens, 'pro')).data).not.toEqual((await find(tokens - 1, 'pro')).data)
    expect((await find(tokens)).data).toEqual((await find(tokens - 1)).data)
  })

  it('gives Pro accounts the digests', async () => {
    for (const path of ['/api/v1/packs', '/api/v1/packs/words-none', '/api/v1/packs/words-none/versions'])
      expect((await ask(0, { path, tier: 'pro' })).text).toMatch(/"sha256":"[0-9a-f]{64}"/)
  })
})

describe('recovery mode', () => {
  const paths = ['.md', '.pack.json', '/1.0.0/section?id=codes', '', '/use', '/versions', '/1.0.0/changes']
  it.each(paths.map((path) => `/browse/words-none${path}`))('keeps %s with --previews', async (path) => {
    const [online, open, kept] = [await ask(0, { path }), ...(await askIn(path, [false, true]))]
    expect(kept!.text.includes('quartz') || /[0-9a-f]{64}/.test(kept!.text)).toBe(false)
    expect(kept!.status).toBe(online.status)
    expect(open!.text.includes('quartz')).toBe(!/versions|changes/.test(path))
  })

  async function askIn(path: string, modes: readonly boolean[]) {
    const answers = []
    for (const previews of modes) {
      servers[0]!.setMode('recovery', previews)
      answers.push(await ask(0, { path }))
    }
    servers[0]!.setMode('online')
    return answers
  }
})
