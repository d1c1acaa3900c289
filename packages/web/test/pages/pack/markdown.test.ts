import { loadTokenizer } from '@packs/codec/compress'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, it } from 'vitest'
import { buildVersion } from '../../../../test-kit/test/build-version.ts'
import { startSite } from '../../start-site.ts'

const BODY = `# TLS\n\n${'The certificate authority signs the certificate signing request.\n\n'.repeat(30)}The end.\n`
const MARKDOWN = { accept: 'text/markdown' }

const site = await startSite([await buildVersion({ slug: 'tls', title: 'TLS', body: BODY })])
const free = await site.join('free@example.com')
const pro = await site.joinPro('pro@example.com', 4)

const REST =
  '\n\n[This is only the beginning of the pack. For all of it, request /api/v1/packs/tls with the API key of a Pro account.]\n'

const countTokens = async (text: string): Promise<number> =>
  (await loadTokenizer('o200k_base')).countTokens(text)

/** Checks a response of markdown, and returns its text. */
async function readMarkdown(
  { statusCode, headers, body }: LightMyRequestResponse,
  caching = 'private, no-cache',
): Promise<string> {
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(headers['x-markdown-tokens']).toBe(String(await countTokens(body)))
  expect([headers['vary'], headers['cache-control']]).toEqual(['Cookie, Accept', caching])
  expect(headers['content-disposition']).toBeUndefined()
  return body
}

describe('the page of a pack for a reader of markdown', () => {
  it('is the preview for visitors and Free accounts, decoded', async () => {
    const preview = await readMarkdown(await site.visit('/browse/tls', { headers: MARKDOWN }))
    expect(preview.endsWith(REST)).toBe(true)
    const beginning = preview.slice(0, -REST.length)
    expect(beginning.length).toBeGreaterThan(60)
    expect(BODY.startsWith(beginning) && beginning.length < BODY.length / 2).toBe(true)
    expect(await readMarkdown(await site.visit('/browse/tls', { headers: MARKDOWN, cookie: free }))).toBe(
      preview,
    )
  })

  it('has a tag, so that it is sent once', async () => {
    const { headers } = await site.visit('/browse/tls', { headers: MARKDOWN })
    const known = { ...MARKDOWN, 'if-none-match': String(headers['etag']) }
    const again = await site.visit('/browse/tls', { headers: known })
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', headers['etag']])
  })

  it('is the source for Pro accounts, charged together with the page', async () => {
    const visit = (): Promise<LightMyRequestResponse> =>
      site.visit('/browse/tls', { headers: MARKDOWN, cookie: pro })
    expect(await readMarkdown(await visit())).toBe(BODY)
    expect((await site.visit('/browse/tls', { cookie: pro })).body).toContain('You have 3 left')
    const head = await site.visit('/browse/tls', { headers: MARKDOWN, cookie: pro, method: 'HEAD' })
    expect([head.headers['x-markdown-tokens'], head.body]).toEqual([String(await countTokens(BODY)), ''])
    for (let more = 0; more < 5; more++) expect(await readMarkdown(await visit())).toBe(BODY)
    expect((await site.visit('/browse/tls', { cookie: pro })).body).toContain('You have 3 left')
  })

  it.each([
    'text/markdown',
    'text/markdown, text/html, */*',
    'text/markdown;q=0.9, text/html;q=0.8',
    'text/html;q=0.5, TEXT/Markdown; q=0.5',
    'text/markdown;charset=utf-8;q=0.7, */*;q=0.1',
  ])('is markdown for Accept: %s', async (accept) => {
    const { headers } = await site.visit('/browse/tls', { headers: { accept } })
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  })

  // prettier-ignore
  const accepts = [
    undefined, '', '*/*', 'text/*', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/markdown;q=0', 'text/html, text/markdown;q=0.9', 'text/markdown;q=0.5, */*',
    'text/markdown-extended', `${'a/b,'.repeat(60)}text/markdown`,
  ]
  it.each(accepts)('is HTML for Accept: %s', async (accept) => {
    const { headers, body } = await site.visit(
      '/browse/tls',
      accept === undefined ? {} : { headers: { accept } },
    )
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect([headers['vary'], headers['x-markdown-tokens']]).toEqual(['Cookie, Accept', undefined])
    expect(body).toContain('<!doctype html>')
  })

  it.each([
    ['/browse/nothing-1', 404, 'unknown_pack', '- [Search for it](/browse?search=nothing+1)'],
    ['/browse/tls.pack.json', 403, 'tier_required', '- [Back to the pack](/browse/tls)'],
    ['/browse?page=0', 400, 'invalid_query', '- [Browse packs](/browse)'],
    ['/browse/a/b', 404, 'page_not_found', '- [Documentation](/docs)'],
  ])('has errors in markdown: %s', async (path, status, code, link) => {
    const { statusCode, headers, body } = await site.visit(path, { headers: MARKDOWN })
    expect([statusCode, headers['content-type']]).toEqual([status, 'text/markdown; charset=utf-8'])
    expect([headers['vary'], headers['cache-control']]).toEqual(['Cookie, Accept', 'no-store'])
    expect(body).toMatch(/^# \S/)
    expect(body).toContain(link)
    expect(body).toContain(`Status ${status}, code \`${code}\``)
  })

  it('has the limit on pages, in markdown too', async () => {
    const visit = (): Promise<LightMyRequestResponse> =>
      site.visit('/browse/nothing', { headers: MARKDOWN, from: '192.0.2.1' })
    for (let at = 0; at < 600; at++) await visit()
    const { statusCode, headers, body } = await visit()
    expect([statusCode, headers['content-type'], body.includes('too_many_pages')]).toEqual([
      429,
      'text/markdown; charset=utf-8',
      true,
    ])
  })

  it('is the source for everybody in recovery mode', async () => {
    await site.setMode('recovery')
    const answer = await site.visit('/browse/tls', { headers: MARKDOWN })
    expect(await readMarkdown(answer, 'private, no-store')).toBe(BODY)
    await site.setMode('online')
  })
})
