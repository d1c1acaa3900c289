import { decode } from '@packs/codec'
import { findScheme } from '@packs/codec/internal'
import { composePrompt } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { readPrompt, readTokens, startPromptSite } from '../prompt-site.ts'

const { site, versions } = await startPromptSite()
const pro = await site.joinPro('pro@example.com', 500)

describe('the page to use a pack', () => {
  it.each([
    ['/browse/tls/use', {}],
    ['/browse/tls/1.0.0/use?scheme=wrong', {}],
    ['/browse/tls/use?scheme=max-2', { scheme: 'max-2' }],
    ['/browse/tls/use?scheme=none', { scheme: 'none' }],
  ] as const)('shows what composePrompt writes: %s', async (path, options) => {
    const { pack } = versions[0]!
    const expected = await composePrompt([pack], options)
    const { body, statusCode, headers } = await site.visit(path, { cookie: pro })
    expect(statusCode).toBe(200)
    expect(readPrompt(body)).toBe(expected.text)
    expect(body).toMatch(new RegExp(`data-copy-target="~prompt"\\s*>\\s*Copy ${expected.tokens} tokens`))
    expect(headers['content-security-policy']).toContain("connect-src 'self'")
    expect(decode(readPrompt(body), expected.rosetta)).toContain(decode(pack.content, pack.rosetta))
  })

  it('lights each place of a term by a link to its note, which works without a script', async () => {
    const { body } = await site.visit('/browse/tls/use', { cookie: pro })
    const places = [...body.matchAll(/<a class="m e(\d+)" href="#~k\1" tabindex="-1"><bdi>/g)]
    expect(places.length).toBeGreaterThan(10)
    const [, rank] = places[0]!
    expect(body).toMatch(new RegExp(`<p class="o e${rank}" id="~k${rank}"><span class="te"><b><bdi>`))
  })

  it('has one line for each kind of program, without a key', async () => {
    const { body } = await site.visit('/browse/tls/use', { cookie: pro })
    for (const part of [
      'http://site.test/api/v1/context?pack=tls',
      '.read(&#39;tls&#39;)',
      'claude mcp add --transport http packs http://site.test/mcp',
      'code --add-mcp',
      'http://site.test/mcp',
      'packTools(',
    ])
      expect(body).toContain(part)
  })

  it('composes the preview alone for visitors, and says what Pro adds', async () => {
    const { pack } = versions[0]!
    const content = decode(pack.preview_content, pack.rosetta)
    const expected = await composePrompt([{ content, rosetta: '[DECODE]', title: pack.title }], {
      scheme: findScheme(pack.compression),
    })
    const { body } = await site.visit('/browse/tls/use')
    expect(readPrompt(body)).toBe(expected.text)
    expect(readTokens(body)).toBe(expected.tokens)
    expect(body).toContain('Pro accounts get the whole pack')
  })

  it('limits the new prompts of a network of visitors, but not those that are cached', async () => {
    const from = '10.9.9.9'
    const ways = ['', '&scheme=none', '&scheme=minify-1', '&scheme=dense-2', '&scheme=max-2']
    const queries = ['tls', 'dns', 'hostile'].flatMap((slug) =>
      ways.map((way) => `/browse/${slug}/use?x=1${way}`),
    )
    const codes: number[] = []
    for (const path of [...queries, ...queries]) codes.push((await site.visit(path, { from })).statusCode)
    expect(new Set(codes)).toEqual(new Set([200]))
    // The text of several packs is not cached.
    codes.length = 0
    for (let more = queries.length; more < 62; more++)
      codes.push((await site.visit('/prompt.md?pack=tls', { from })).statusCode)
    expect([codes[0], codes.at(-1)]).toEqual([200, 429])
    expect((await site.visit(queries[0]!, { from })).statusCode).toBe(200)
    const refused = await site.visit('/prompt?pack=tls', { from })
    expect(refused.statusCode).toBe(429)
    expect(refused.body).toContain('You opened too many prompts within a minute')
  })

  it('gives the same as a file', async () => {
    const page = await site.visit('/browse/tls/use?scheme=max-2', { cookie: pro })
    const path = /href="(\/browse\/tls\/1\.0\.0\/use\.md[^"]*)"/.exec(page.body)![1]!.replaceAll('&amp;', '&')
    const file = await site.visit(path, { cookie: pro })
    expect(file.body).toBe(readPrompt(page.body))
    expect(file.headers['content-disposition']).toBe('attachment; filename="tls.prompt.md"')
  })
})
