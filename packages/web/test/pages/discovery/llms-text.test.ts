import { afterEach, expect, it } from 'vitest'
import { actor } from '../../../../test-kit/test/make-version.ts'
import { fitLlmsText } from '../../../src/pages/discovery-routes.ts'
import { makePack } from '../../make-pack.ts'
import { ORIGIN, startSite, type Site } from '../../start-site.ts'

let site: Site | undefined
afterEach(async () => {
  await site?.close()
  site = undefined
})

const versions = [
  makePack({ slug: 'tls', title: 'TLS [basics]', content: 'a', description: 'How <b>servers</b> agree.' }),
  makePack({ slug: 'csp', title: 'CSP', content: 'a' }),
  makePack({ slug: 'go', title: 'Go', content: 'a', domain: 'Languages', domain_slug: 'languages' }),
  makePack({ slug: 'gone', title: 'Gone', content: 'a' }),
]

it('lists the packs by domain, without those that were yanked', async () => {
  site = await startSite(versions)
  await site.catalog.packs.yank('gone', '1.0.0', 'wrong', actor)
  const { statusCode, headers, body } = await site.visit('/llms.txt')
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  expect([headers['cache-control'], headers['vary']]).toEqual(['public, max-age=0, s-maxage=60', undefined])
  expect(body).toMatch(
    /^# Packs\n\n> Knowledge packs [^\n]+\n\nThe catalog has 3 packs\. [^\n]+\n\n## Languages/,
  )
  expect(body).toContain(`## Languages\n\n- [Go](${ORIGIN}/browse/go)\n\n## Web security\n\n`)
  expect(body).toContain(
    `- [CSP](${ORIGIN}/browse/csp)\n- [TLS \\[basics\\]](${ORIGIN}/browse/tls): How \\<b\\>servers\\</b\\> agree.\n\n## Optional\n\n- [All packs](${ORIGIN}/browse): `,
  )
  expect(body).not.toContain('gone')
})

it('is not sent again while the catalog is the same, in recovery mode either', async () => {
  site = await startSite(versions)
  const first = await site.visit('/llms.txt')
  await site.setMode('recovery')
  const known = { 'if-none-match': `"other", W/${first.headers.etag}` }
  const again = await site.visit('/llms.txt', { headers: known })
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', first.headers.etag])
  await site.catalog.packs.commit([makePack({ slug: 'new', title: 'New', content: 'a' })])
  const changed = await site.visit('/llms.txt', { headers: known })
  expect(changed.statusCode).toBe(200)
  expect(changed.body).toContain(`[New](${ORIGIN}/browse/new)`)
})

it('is a valid file for an empty catalog', async () => {
  site = await startSite()
  const { statusCode, body } = await site.visit('/llms.txt')
  expect([statusCode, body.includes('The catalog has 0 packs.')]).toEqual([200, true])
})

it('has at most 500 packs, and says where the others are', async () => {
  const many = Array.from({ length: 510 }, (_, at) => makePack({ slug: `pack-${at}`, content: 'a' }))
  site = await startSite([...many, ...versions])
  const { body } = await site.visit('/llms.txt')
  expect(body.match(/\/browse\/pack-/g)).toHaveLength(496)
  expect(body).not.toContain('/browse/pack-13)')
  expect(body).toContain('This list has the newest 500; the links below lead to 14 more.')
  expect(body).toContain(`- [14 more packs in this domain](${ORIGIN}/browse?domain=web-security)`)
})

it('has at most 100 KB', () => {
  const packs = Array.from({ length: 500 }, (_, at) => ({
    slug: `pack-${at}`,
    title: '統'.repeat(120),
    description: '計'.repeat(2000),
    domain: `Domain ${at % 120}`,
    domain_slug: `domain-${at % 120}`,
  }))
  const levels = { first_difficulty: 'expert', last_difficulty: 'expert' }
  const domains = packs.slice(0, 120).map((pack) => ({ ...pack, packs: 100, ...levels }))
  const text = fitLlmsText({ packs, total: 12_000, domains, baseUrl: ORIGIN })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000)
  expect(text).toContain('This list has the newest ')
  expect(text.match(/^## Domain /gm)).toHaveLength(100)
})
