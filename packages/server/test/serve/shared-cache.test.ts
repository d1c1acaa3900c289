import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { text } from 'node:stream/consumers'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { startNginx, type OwnNginx } from '../../../test-kit/test/start-nginx.ts'
import { startMcp } from '../mcp/start-mcp.ts'

/** In each section of a long pack: a preview ends before the last one. */
const LOCKED = 'quarantined-marker'
const SECTION = 'Renew certificates before they expire, and watch the log of transparency.\n\n'
const body = Array.from({ length: 30 }, (_, at) => `## Part ${at}\n\n${SECTION.repeat(8)}`).join('')
const version = await buildVersion({
  slug: 'tls-basics',
  title: 'TLS basics',
  body: `# TLS basics\n\n${body}## Locked\n\nThe ${LOCKED} is here.\n`,
})
const server = await startMcp(undefined, [version])
const port = Number(new URL(server.origin).port)

/** Clients say their address, as there are limits on pages of one. */
const nameClients = (site: string): string => site.replace('$remote_addr', '$http_x_client')

/** The one of the documentation, and one that caches whatever it may, without a look at cookies and keys. */
const caches = [
  await startNginx([port], nameClients),
  await startNginx([port], (site) =>
    nameClients(site).replace(/^ *proxy_(?:cache_bypass|no_cache) .*\n/gm, ''),
  ),
]

for (const cache of caches) closeLater(() => cache.stop())

const routes = [
  '/',
  '/browse',
  '/browse?search=certificates',
  '/browse?search=when+to+renew+certificates',
  '/browse/tls-basics',
  '/browse/tls-basics?section=locked',
  '/browse/tls-basics.md',
  '/browse/tls-basics.md?full=1',
  '/browse/tls-basics.pack.json',
  '/browse/tls-basics/1.0.0',
  '/browse/tls-basics/use',
  '/browse/tls-basics/1.0.0/use.md',
  '/browse/tls-basics/versions',
  '/browse/tls-basics/1.0.0/section?id=locked',
  '/prompt?pack=tls-basics',
  '/prompt.md?pack=tls-basics',
  '/try',
  '/docs',
  '/docs/errors/not_found',
  '/feed.xml',
  '/llms.txt',
  '/sitemap.xml',
  '/settings',
  '/settings/sign-up',
  '/nothing-here',
  '/api/status',
  '/api/v1/packs',
  '/api/v1/packs/tls-basics',
  '/api/v1/packs/download',
  '/api/v1/search?q=certificates',
  '/api/v1/context?q=certificates&budget=20000',
  '/api/v1/usage',
]

interface Reader {
  readonly name: string
  readonly isPro: boolean
  readonly headers: Readonly<Record<string, string>>
}

async function signUp(tier: 'free' | 'pro'): Promise<readonly Reader[]> {
  const email = `private-${tier}@example.org`
  const { accounts, keys } = server.catalog
  const now = new Date()
  const { account, claimCode } = await accounts.createClaimed({ email, tier, daily: 100_000, actor }, now)
  const { key } = await keys.create({ accountId: account.id, name: 'test', actor }, now)
  const post = (path: string, form: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(server.origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: server.origin },
      body: new URLSearchParams({ email, ...form }),
    })
  await post('/settings/code', { code: claimCode, new_password: 'correct horse' })
  const { headers } = await post('/settings/sign-in', { password: 'correct horse' })
  const cookie = headers.getSetCookie().map((text_) => text_.split(';', 1)[0])
  const isPro = tier === 'pro'
  return [
    { name: `${tier} key`, isPro, headers: { 'x-api-key': key } },
    { name: `${tier} session`, isPro, headers: { cookie: cookie.join('; ') } },
  ]
}

const visitor: Reader = { name: 'visitor', isPro: false, headers: {} }
/** Who sees most first, so that a visitor would get what was cached for them. */
const readers = [...(await signUp('pro')), ...(await signUp('free')), visitor]
const accepts = ['text/html', 'text/markdown, text/html;q=0.5']

let asked = 0

async function ask(
  { url }: Pick<OwnNginx, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly body: string; readonly cached: boolean; readonly caching: string }> {
  const client = `192.0.2.${++asked % 250}`
  const answer = await new Promise<{ body: string; cached: boolean; caching: string }>((resolve, reject) => {
    request(url + path, { headers: { ...headers, 'x-client': client }, agent: false }, (response) => {
      const { headers: got } = response
      text(response).then(
        (content) =>
          resolve({ body: content, cached: got['x-cache'] === 'HIT', caching: got['cache-control'] ?? '' }),
        reject,
      )
    })
      .on('error', reject)
      .end()
  })
  return answer
}

/** Everything that a cache has stored. */
function readCache({ cache }: OwnNginx): string {
  const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n')
}

const visits = routes.flatMap((path) =>
  readers.flatMap((reader) => accepts.map((accept) => ({ path, reader, accept }))),
)

it('a shared cache has no byte that is not for every visitor, whoever asks in whichever mode', async () => {
  const leaks: string[] = []
  const hits = new Map(caches.map((cache) => [cache, 0]))
  for (const mode of ['recovery', 'online', 'recovery', 'online'] as const) {
    server.setMode(mode)
    for (const cache of caches) {
      for (const { path, reader, accept } of visits) {
        const { body: got, cached, caching } = await ask(cache, path, { ...reader.headers, accept })
        const isRight = mode === 'online' ? reader.isPro : caching === 'private, no-store'
        if (got.includes(LOCKED) && !isRight) leaks.push(`${mode} ${reader.name} ${path} ${accept}`)
        if (reader === visitor && cached) hits.set(cache, hits.get(cache)! + 1)
      }
      const stored = readCache(cache)
      const secrets = [LOCKED, 'private-pro', 'private-free', 'packs.session', ...listKeys()]
      leaks.push(...secrets.filter((secret) => stored.includes(secret)))
    }
  }
  expect(leaks).toEqual([])
  // A cache that stores nothing would leak nothing either.
  expect([...hits.values()].map((count) => count > 15)).toEqual([true, true])
})

function listKeys(): readonly string[] {
  return readers.flatMap(({ headers }) => headers['x-api-key'] ?? [])
}

it('gives a signed-in reader his own page through the cache of the documentation', async () => {
  const [documented] = caches
  const [, session] = readers
  await ask(documented!, '/browse/tls-basics.md', {})
  const own = await ask(documented!, '/browse/tls-basics.md', session!.headers)
  expect(own.body).toContain(LOCKED)
  expect(own.caching).toBe('private, no-cache')
  const visit = await ask(documented!, '/browse/tls-basics.md', {})
  expect(visit).toMatchObject({ cached: true, caching: 'public, max-age=0, s-maxage=60' })
})

it('revalidates with a tag that compression does not change', async () => {
  const first = await fetch(`${server.origin}/browse`, { headers: { 'accept-encoding': 'br' } })
  const tag = first.headers.get('etag')!
  const again = await fetch(`${server.origin}/browse`, { headers: { 'if-none-match': tag } })
  expect([tag.startsWith('W/"'), again.status]).toEqual([true, 304])
  const other = await fetch(`${server.origin}/browse?sort=newest`, { headers: { 'if-none-match': tag } })
  expect(other.status).toBe(200)
})
