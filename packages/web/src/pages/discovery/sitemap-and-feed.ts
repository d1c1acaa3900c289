import type { PackSummary } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { setImmediate } from 'node:timers/promises'
import type { WebPorts } from '../../ports.ts'
import { WebError } from '../../web-error.ts'
import { escapeBidi, formatNumber } from '../../html/display-text.ts'
import { describeSaving, measureCost } from '../../html/pack-figures.ts'
import { addCatalogFile } from './catalog-file.ts'

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
    for (let offset = from; offset < end; offset += PAGE) {
      const limit = Math.min(PAGE, end - offset)
      const page = await packs.list({ order: 'newest', limit, offset })
      for (const { slug, updated_at } of page.packs)
        parts.push(writeUrl('url', `${baseUrl}/browse/${slug}`, updated_at))
      if (offset + limit >= page.total) break
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
export function addFeedRoute(app: FastifyInstance, ports: WebPorts, baseUrl: string): void {
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
  const figures = `Version ${version}: ${formatNumber(measureCost(pack).prompt)} tokens in a prompt, ${describeSaving(pack)}.`
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
