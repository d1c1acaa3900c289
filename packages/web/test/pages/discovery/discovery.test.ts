import { fastify } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { actor } from '../../../../test-kit/test/make-version.ts'
import { addSitemapRoutes, escapeXml } from '../../../src/pages/discovery-routes.ts'
import type { WebPorts } from '../../../src/ports.ts'
import { makePack } from '../../make-pack.ts'
import { ORIGIN, startSite, type Site } from '../../start-site.ts'

let site: Site | undefined
afterEach(async () => {
  await site?.close()
  site = undefined
})

const versions = [
  makePack({
    slug: 'tls',
    title: 'TLS & "keys" \u202E<b>',
    content: 'a',
    description: 'How <b>servers</b> agree.',
  }),
  makePack({ slug: 'csp', title: 'CSP', content: 'a' }),
  makePack({ slug: 'gone', title: 'Gone', content: 'a' }),
]
const urls = (text: string): string[] => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url!)

describe('/sitemap.xml', () => {
  it('lists the pages of packs that are shown, and is not sent again while they are the same', async () => {
    site = await startSite(versions)
    await site.catalog.packs.yank('gone', '1.0.0', 'wrong', actor)
    const { headers, body } = await site.visit('/sitemap.xml')
    expect([headers['content-type'], headers['vary']]).toEqual(['application/xml; charset=utf-8', undefined])
    expect(urls(body).filter((url) => url.includes('/browse/'))).toEqual([
      `${ORIGIN}/browse/csp`,
      `${ORIGIN}/browse/tls`,
    ])
    expect(body).toContain(`${ORIGIN}/browse/tls</loc><lastmod>2026-03-01T12:00:00.000Z</lastmod>`)
    await site.setMode('recovery')
    const known = { 'if-none-match': String(headers.etag) }
    expect((await site.visit('/sitemap.xml', { headers: known })).statusCode).toBe(304)
    await site.catalog.packs.undoYank('gone', '1.0.0', actor)
    expect((await site.visit('/sitemap.xml', { headers: known })).body).toContain('/browse/gone<')
    expect((await site.visit('/sitemap-1.xml')).statusCode).toBe(404)
  })

  it('is an index if there are many packs', async () => {
    site = await startSite(Array.from({ length: 23 }, (_, at) => makePack({ slug: `p-${at}`, content: 'a' })))
    const app = fastify()
    addSitemapRoutes(app, { catalog: site.catalog } as WebPorts, ORIGIN, 10)
    const read = async (url: string): Promise<string[]> => urls((await app.inject(url)).body)
    expect(await read('/sitemap.xml')).toEqual([1, 2, 3].map((number) => `${ORIGIN}/sitemap-${number}.xml`))
    const files = [await read('/sitemap-1.xml'), await read('/sitemap-2.xml'), await read('/sitemap-3.xml')]
    expect(files.map(({ length }) => length)).toEqual([10, 10, 8])
    expect(new Set(files.flat()).size).toBe(28)
    for (const number of ['0', '4', '01', 'x'])
      expect((await app.inject(`/sitemap-${number}.xml`)).statusCode).not.toBe(200)
    await app.close()
  })
})

describe('/feed.xml', () => {
  it('has an entry for each pack that changed last, newest first', async () => {
    site = await startSite(versions)
    const { headers, body } = await site.visit('/feed.xml')
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect(body).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">\n<id>http:\/\/site\.test\/feed\.xml<\/id>/,
    )
    expect(body).toContain('<updated>2026-03-01T12:00:00.000Z</updated>')
    expect(body.match(/<entry>/g)).toHaveLength(3)
    expect(body).toContain('<title>TLS &amp; &quot;keys&quot; [U+202E]&lt;b&gt;</title>')
    expect(body).toMatch(
      /<summary>How &lt;b&gt;servers&lt;\/b&gt; agree\. Version 1\.0\.0: \d+ tokens, saves \d+\.\d %, \d+ tokens\.<\/summary>/,
    )
    expect(body.indexOf('/browse/gone<')).toBeLessThan(body.indexOf('/browse/tls<'))
    expect((await site.visit('/browse')).body).toContain('type="application/atom+xml"')
  })

  it('has at most fifty entries, and is valid without any', async () => {
    site = await startSite(Array.from({ length: 52 }, (_, at) => makePack({ slug: `p-${at}`, content: 'a' })))
    expect((await site.visit('/feed.xml')).body.match(/<entry>/g)).toHaveLength(50)
    await site.close()
    site = await startSite()
    expect((await site.visit('/feed.xml')).body).toContain('<updated>1970-01-01T00:00:00.000Z</updated>')
  })
})

it('names the sitemap in /robots.txt, and has an icon for those that ask without a page', async () => {
  site = await startSite()
  const { body } = await site.visit('/robots.txt')
  expect(body).toMatch(/^User-agent: \*\nDisallow: \/settings\nDisallow: \/api\//)
  expect(body).toContain(`\nSitemap: ${ORIGIN}/sitemap.xml\n`)
  const { headers } = await site.visit('/favicon.ico')
  expect((await site.visit(String(headers.location))).headers['content-type']).toBe('image/svg+xml')
})

it('escapes text for XML, also what XML cannot hold', () => {
  expect(escapeXml('a\u0000\u0008<b>&"\t\uFFFE\uD800😀')).toBe(
    'a\uFFFD\uFFFD&lt;b&gt;&amp;&quot;\t\uFFFD\uFFFD😀',
  )
})
