import type { Scheme } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { buildPack, parseSource } from '@packs/codec/pack'
import type { NewVersion } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { makeVersion } from '../../../../test-kit/test/make-version.ts'
import { makePack } from '../../make-pack.ts'
import { startSite } from '../../start-site.ts'

const LINE = 'The certificate authority signs the certificate signing request.\n\n'
const KEYS = `## Keys\n\n${LINE.repeat(3)}`
const RENEWAL = `## Renewal *now*\n\n${LINE.repeat(20)}`
const INTRO = `# TLS\n\nHow keys are agreed on.\n\n`
const PART = '## Part two\n\n'
const BODY = INTRO + KEYS + PART + RENEWAL

async function buildVersion(
  slug: string,
  body: string,
  path = `${slug}.md`,
  scheme: Scheme = 'minify-1',
): Promise<NewVersion> {
  const bytes = Buffer.from(`---\nslug: ${slug}\ntitle: TLS\n---\n${body}`)
  const { source } = parseSource(bytes, { path })
  const { pack } = await buildPack(source!, { scheme })
  const version = makeVersion({ slug })
  return { ...version, pack: pack!, provenance: { ...version.provenance, path, git_commit: 'a1'.repeat(20) } }
}

const site = await startSite([
  await buildVersion('tls', BODY),
  await buildVersion('dense', BODY, 'dense.md', 'dense-2'),
  await buildVersion('outside', 'Only a word.\n', '/home/ann/secret plans/outside.md'),
  makePack({ slug: 'short', content: 'Only a word.\n', preview_content: 'Only a word.\n' }),
])
const pro = await site.joinPro('pro@example.com', 1)

const find = (slug: string, id: string): string =>
  `/browse/${slug}/0.0.0/section?id=${encodeURIComponent(id)}`

describe('the text of a section', () => {
  it.each([
    ['tls', INTRO],
    ['keys', KEYS],
    ['renewal-now', RENEWAL],
  ])('is sent as it is, and has the tokens that its button names: %s', async (id, text) => {
    const { statusCode, headers, body } = await site.visit(find('tls', id), { cookie: pro })
    expect([statusCode, body]).toEqual([200, text])
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toMatch(/^private/)
    const page = (await site.visit('/browse/tls', { cookie: pro })).body
    const tokens = (await loadTokenizer('o200k_base')).countTokens(text)
    const button = new RegExp(`data-copy-section="${id}"\\s*>\\s*Copy ${tokens} tokens`)
    expect(button.test(page)).toBe(id !== 'tls')
  })

  it('costs nothing once the version is paid', async () => {
    for (let time = 0; time < 3; time++) await site.visit(find('tls', 'keys'), { cookie: pro })
    expect((await site.visit('/browse/tls', { cookie: pro })).body).toContain('You have 0 left.')
  })

  it('is sent to visitors only if the preview has all of it, and only such a section has a button', async () => {
    expect((await site.visit(find('tls', 'tls'))).body).toBe(INTRO)
    const refused = await site.visit(find('tls', 'renewal-now'))
    expect(refused.statusCode).toBe(403)
    expect(refused.body).not.toContain('certificate')
    const { body } = await site.visit('/browse/tls')
    const ids = [...body.matchAll(/data-copy-section="([^"]*)"/g)].map(([, id]) => id)
    for (const id of ids) expect((await site.visit(find('tls', id!))).statusCode).toBe(200)
    expect(ids).not.toContain('renewal-now')
  })

  it('has no button if it is only a heading', async () => {
    const { body } = await site.visit('/browse/tls', { cookie: pro })
    expect(body).toMatch(/<h2 id="part-two">Part two<\/h2><a [^>]*>#<\/a><\/div>/)
    expect((await site.visit(find('tls', 'part-two'), { cookie: pro })).body).toBe(PART)
  })

  it.each(['none', '', '~main', '__proto__'])('is not found: %s', async (id) => {
    for (const cookie of [pro, undefined]) {
      const { statusCode } = await site.visit(find('tls', id), cookie === undefined ? {} : { cookie })
      expect(statusCode).toBe(404)
    }
  })
})

it('lets only the page of the text fetch from this site', async () => {
  const policy = async (path: string): Promise<unknown> =>
    (await site.visit(path)).headers['content-security-policy']
  expect(await policy('/browse/tls')).toContain("connect-src 'self'")
  for (const path of ['/browse', '/browse/tls/versions', find('tls', 'tls'), '/browse/none'])
    expect(await policy(path)).not.toContain('connect-src')
})

it('names the parts of the cost, whose sum is the source', async () => {
  const { body } = await site.visit('/browse/dense')
  const figures = [...body.matchAll(/<div class="legend-(\w+)">\s*<dt>[^<]*<\/dt>\s*<dd>([\d,]+)</g)]
  const [content = 0, header = 0, saved = 0, source = 0] = figures.map(([, , tokens]) =>
    Number(tokens!.replace(',', '')),
  )
  expect(figures.map(([, kind]) => kind)).toEqual(['content', 'header', 'saved', 'sum'])
  expect([content + header + saved, source]).toEqual([
    source,
    (await site.catalog.packs.find('dense'))!.uncompressed_estimate,
  ])
})

it.each([
  '/browse/tls',
  '/browse/tls/versions',
  '/browse/outside',
  '/browse/tls/use',
  '/browse/feed.xml',
  '/browse',
])('says nothing of the file and the commit that a version was published from: %s', async (path) => {
  const { body } = await site.visit(path)
  expect(body).not.toMatch(/tls\.md<|outside\.md<|a1a1a1a1|home|secret/)
})

it('opens the section that a URL names, or says where it is', async () => {
  const { body } = await site.visit('/browse/tls?section=renewal-now')
  expect(body).toContain('“Renewal now” is in the whole pack (Pro)')
  expect(body).toContain('href="?section=renewal-now"')
  expect((await site.visit('/browse/tls?section=renewal-now', { cookie: pro })).body).not.toContain('(Pro)')
  expect((await site.visit('/browse/tls?section=none')).body).toContain('This pack has no such section')
  const { statusCode, headers } = await site.visit('/browse/tls?part=2')
  expect([statusCode, headers['location']]).toEqual([303, '/browse/tls'])
})

it('shows a pack whose preview is the whole text without a note on the rest', async () => {
  const { body } = await site.visit('/browse/short')
  expect(body).toContain('<p>Only a word.</p>')
  expect(body).not.toContain('This is the beginning')
})
