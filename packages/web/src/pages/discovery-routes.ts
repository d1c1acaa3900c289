import type { Catalog, PackKey, PackSummary } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { escapeBidi, formatCount, cutText } from '../html/display-text.ts'
import type { WebPorts } from '../ports.ts'
import { addPage, createTag, isKnownTag, SHARED } from './serve-page.ts'
import { setImmediate } from 'node:timers/promises'
import { WebError } from '../web-error.ts'
import { describeSaving, measureCost } from '../html/pack-figures.ts'

/** URLs of a sitemap, as the protocol allows. */
const MAX_URLS = 50_000
/** Packs that are read at once. */
const PAGE = 500
const TYPE = 'application/xml; charset=utf-8'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
/** Pages that exist without packs. */
const PAGES = ['/', '/browse', '/prompt', '/try', '/docs']

/** Adds `/sitemap.xml`: the pages of all packs that are shown, as an index if they are many. */
export function addSitemapRoutes(
  app: FastifyInstance,
  ports: WebPorts,
  baseUrl: string,
  size: number = MAX_URLS,
): void {
  const { packs } = ports.catalog
  const count = async (): Promise<number> => (await packs.list({ limit: 1, offset: 0 })).total

  async function writeUrls(from: number): Promise<string> {
    const parts = [`<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n`]
    if (from === 0) for (const path of PAGES) parts.push(writeUrl('url', `${baseUrl}${path}`))
    const end = from === 0 ? size - PAGES.length : from + size
    let after: PackKey | undefined
    for (let at = from; at < end; at += PAGE) {
      // By title, where a new version of a pack does not move it.
      const page = await packs.list({ limit: Math.min(PAGE, end - at), offset: after ? 0 : from, after })
      for (const { slug, updated_at } of page.packs)
        parts.push(writeUrl('url', `${baseUrl}/browse/${slug}`, updated_at))
      after = page.next
      if (after === undefined) break
      // Lets other requests run.
      await setImmediate()
    }
    parts.push('</urlset>\n')
    return parts.join('')
  }

  function writeIndex(total: number): string {
    const files = Array.from({ length: Math.ceil((total + PAGES.length) / size) }, (_, at) =>
      writeUrl('sitemap', `${baseUrl}/sitemap-${at + 1}.xml`),
    )
    return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${files.join('')}</sitemapindex>\n`
  }

  addCatalogFile(app, { path: '/sitemap.xml', type: TYPE }, ports, async () => {
    const total = await count()
    return total + PAGES.length > size ? writeIndex(total) : writeUrls(0)
  })
  addCatalogFile(app, { path: '/sitemap-:number(^[1-9]\\d{0,4}$).xml', type: TYPE }, ports, async (url) => {
    const number = Number(/\d+/.exec(url)?.[0])
    const from = number === 1 ? 0 : (number - 1) * size - PAGES.length
    const total = await count()
    if (total + PAGES.length <= size || from >= total)
      throw new WebError('page_not_found', 'There is no such sitemap', 'Start from /sitemap.xml.')
    return writeUrls(from)
  })
}

function writeUrl(name: 'url' | 'sitemap', address: string, changed?: string): string {
  const date = changed === undefined ? '' : `<lastmod>${changed}</lastmod>`
  return `<${name}><loc>${escapeXml(address)}</loc>${date}</${name}>\n`
}

const MAX_ENTRIES = 50

/** Adds `/feed.xml`: the packs that changed last, as Atom (RFC 4287). */
function addFeedRoute(app: FastifyInstance, ports: WebPorts, baseUrl: string): void {
  addCatalogFile(app, { path: '/feed.xml', type: 'application/atom+xml; charset=utf-8' }, ports, async () => {
    const { packs } = await ports.catalog.packs.list({ order: 'newest', limit: MAX_ENTRIES, offset: 0 })
    const updated = packs[0]?.updated_at ?? '1970-01-01T00:00:00.000Z'
    return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(`${baseUrl}/feed.xml`)}</id>
<title>New and changed packs</title>
<updated>${updated}</updated>
<author><name>Packs</name></author>
<link rel="self" type="application/atom+xml" href="${escapeXml(`${baseUrl}/feed.xml`)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/browse?sort=newest`)}"/>
${packs.map((pack) => writeEntry(pack, baseUrl)).join('')}</feed>
`
  })
}

/** An id is the address of the pack, which it keeps in all versions. */
function writeEntry(pack: PackSummary, baseUrl: string): string {
  const { slug, title, version, description, lead, published_at, updated_at } = pack
  const figures = `Version ${version}: ${formatCount(measureCost(pack).paid, 'token')}, ${describeSaving(pack)}.`
  const text = [description ?? lead, figures].filter((part) => part !== undefined).join(' ')
  return `<entry>
<id>${escapeXml(`${baseUrl}/browse/${slug}`)}</id>
<title>${escapeXml(escapeBidi(title))}</title>
<link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/browse/${slug}`)}"/>
<published>${published_at}</published>
<updated>${updated_at}</updated>
<summary>${escapeXml(escapeBidi(text))}</summary>
</entry>
`
}

/** Characters that XML 1.0 does not allow, also not as references. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML. Characters that XML cannot hold are replaced. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character]!)
}

interface CatalogFile {
  readonly sequence: number
  readonly text: string
  readonly etag: string
}

/**
 * Adds a file that is the same for all visitors; it is written again after the catalog changed.
 * @param write throws for a path that has no file
 */
function addCatalogFile(
  app: FastifyInstance,
  { path, type }: { readonly path: string; readonly type: string },
  { catalog }: Pick<WebPorts, 'catalog'>,
  write: (url: string) => Promise<string>,
): void {
  // One file: a sitemap of 50,000 URLs has several megabytes.
  let latest: { readonly url: string; readonly file: Promise<CatalogFile> } | undefined

  const readFile = async (url: string): Promise<CatalogFile> => {
    const sequence = await catalog.sequence()
    const known = latest?.url === url ? await latest.file.catch(() => undefined) : undefined
    if (known?.sequence === sequence) return known
    const file = write(url).then((text) => ({ sequence, text, etag: createTag(text) }))
    latest = { url, file }
    return file
  }

  addPage(app, path, async (request, reply) => {
    const { text, etag } = await readFile(request.url.split('?', 1)[0]!)
    // Unlike the pages, this is the same for every visitor.
    reply.removeHeader('vary').headers({ etag, 'cache-control': SHARED })
    if (isKnownTag(request, etag)) return reply.code(304).send()
    return reply.type(type).send(text)
  })
}

/** Packs to list, newest first. */
const MAX_PACKS = 500
const MAX_BYTES = 100_000
const MAX_DOMAINS = 100
/** Code points of a title or the name of a domain, and of a description. */
const MAX_NAME = 120
const MAX_DESCRIPTION = 200
const API = 'Search, sections, whole packs and prompts; every pack with GET /api/v1/packs'

/** Adds what lets others find the catalog, and `/favicon.ico`, which some programs want anyway. */
export function addDiscoveryRoutes(
  app: FastifyInstance,
  ports: WebPorts,
  baseUrl: string,
  icon: string,
): void {
  addLlmsRoute(app, ports, baseUrl)
  addFeedRoute(app, ports, baseUrl)
  addSitemapRoutes(app, ports, baseUrl)
  const robots = `User-agent: *
Disallow: /settings
Disallow: /api/
Disallow: /mcp
Disallow: /prompt?
Disallow: /browse?*search=
Disallow: /browse/*/section

Sitemap: ${baseUrl}/sitemap.xml
`
  addPage(app, '/robots.txt', (_request, reply) =>
    reply
      .removeHeader('vary')
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send(robots),
  )
  addPage(app, '/favicon.ico', (_request, reply) =>
    reply.removeHeader('vary').header('cache-control', 'public, max-age=3600').redirect(icon, 302),
  )
}

/** Adds `/llms.txt`: the catalog for programs that read it with a model (https://llmstxt.org). */
function addLlmsRoute(app: FastifyInstance, ports: Pick<WebPorts, 'catalog'>, baseUrl: string): void {
  const { packs: store } = ports.catalog
  addCatalogFile(app, { path: '/llms.txt', type: 'text/plain; charset=utf-8' }, ports, async () => {
    const { packs, total } = await store.list({ order: 'newest', limit: MAX_PACKS, offset: 0 })
    return fitLlmsText({ packs, total, domains: await store.domains(), baseUrl })
  })
}

interface LlmsContents {
  readonly packs: readonly Pick<PackSummary, 'slug' | 'title' | 'description' | 'domain' | 'domain_slug'>[]
  readonly total: number
  readonly domains: Awaited<ReturnType<Catalog['packs']['domains']>>
  readonly baseUrl: string
}

/** Writes the file with as many packs as fit into 100 KB. */
export function fitLlmsText(contents: LlmsContents): string {
  for (let count = contents.packs.length; ; count = Math.floor(0.8 * count)) {
    const text = writeLlmsText({ ...contents, packs: contents.packs.slice(0, count) })
    if (Buffer.byteLength(text) <= MAX_BYTES || count === 0) return text
  }
}

function writeLlmsText({ packs, total, domains, baseUrl }: LlmsContents): string {
  const byDomain = Map.groupBy(packs, ({ domain_slug }) => domain_slug)
  const sections = domains.slice(0, MAX_DOMAINS).map(({ domain, domain_slug, packs: count }) => {
    const listed = byDomain.get(domain_slug) ?? []
    const lines = listed
      .toSorted((a, b) => (a.title < b.title ? -1 : 1))
      .map(({ title, slug, description }) => writeLink(title, `${baseUrl}/browse/${slug}`, description))
    const more = count - listed.length
    const rest = `${formatCount(more, listed.length > 0 ? 'more pack' : 'pack')} in this domain`
    if (more > 0) lines.push(writeLink(rest, `${baseUrl}/browse?domain=${domain_slug}`))
    return `## ${escapeMarkdown(domain, MAX_NAME)}\n\n${lines.join('\n')}\n`
  })
  const missing = total - packs.length
  const more =
    missing > 0 ? ` This list has the newest ${packs.length}; the links below lead to ${missing} more.` : ''
  return [
    '# Packs\n',
    '> Knowledge packs for language models: markdown in fewer tokens, with a header to restore it byte for byte.\n',
    `The catalog has ${formatCount(total, 'pack')}.${more} Request a page below with \`Accept: text/markdown\` to get the beginning of its pack as text; the response header \`x-markdown-tokens\` has its number of tokens. The API (\`/docs\`) returns whole packs with the key of a Pro account.\n`,
    ...sections,
    '## Optional\n',
    [
      writeLink('All packs', `${baseUrl}/browse`, 'Search, domains and downloads'),
      writeLink('Catalog API', `${baseUrl}/docs`, API),
      writeLink('OpenAPI', `${baseUrl}/openapi.json`, 'The API for programs'),
    ].join('\n'),
    '',
  ].join('\n')
}

function writeLink(name: string, url: string, about?: string | null): string {
  const notes = about ? `: ${escapeMarkdown(about, MAX_DESCRIPTION)}` : ''
  return `- [${escapeMarkdown(name, MAX_NAME)}](${url})${notes}`
}

function escapeMarkdown(text: string, most: number): string {
  return escapeBidi(cutText(text, most)).replace(/[\\`*_[\]<>]/g, '\\$&')
}
