import type { Catalog, PackSummary } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { escapeBidi, formatCount } from '../../html/display-text.ts'
import type { WebPorts } from '../../ports.ts'
import { cutText } from '../pack/pack-about.ts'
import { addPage } from '../serve-page.ts'
import { addCatalogFile } from './catalog-file.ts'
import { addFeedRoute, addSitemapRoutes } from './sitemap-and-feed.ts'

/** Packs to list, newest first. */
const MAX_PACKS = 500
const MAX_BYTES = 100_000
const MAX_DOMAINS = 100
/** Code points of a title or the name of a domain, and of a description. */
const MAX_NAME = 120
const MAX_DESCRIPTION = 200

/**
 * Adds what lets others find the catalog: `/robots.txt`, sitemaps, the feed, `/llms.txt`, and
 * `/favicon.ico`, for which some programs ask whatever the pages say.
 *
 * @param icon path of the icon
 */
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

export interface LlmsContents {
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
      writeLink(
        'Catalog API',
        `${baseUrl}/docs`,
        'Search, sections, whole packs and prompts; every pack with GET /api/v1/packs',
      ),
      writeLink('OpenAPI', `${baseUrl}/openapi.json`, 'The API for programs'),
    ].join('\n'),
    '',
  ].join('\n')
}

function writeLink(name: string, url: string, about?: string | null): string {
  const notes = about ? `: ${escapeMarkdown(about, MAX_DESCRIPTION)}` : ''
  return `- [${escapeMarkdown(name, MAX_NAME)}](${url})${notes}`
}

/** Truncates an author's text and escapes markup in it. */
function escapeMarkdown(text: string, most: number): string {
  return escapeBidi(cutText(text, most)).replace(/[\\`*_[\]<>]/g, '\\$&')
}
