import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makePack } from '../../make-pack.ts'
import { startSite } from '../../start-site.ts'
import { actor } from '../../../../test-kit/test/make-version.ts'

const LINE = 'A CT log is public.\n\n'
const glossary = {
  description: 'How browsers & servers agree on keys.',
  tags: ['network', 'keys'],
  slug: 'tls-basics',
  title: 'TLS basics',
  content: `# TLS basics\n\n${LINE.repeat(10)}The end.\n`,
  preview_content: `# TLS basics\n\n${LINE}`,
  rosetta: '[DECODE] CT=certificate transparency',
}

const others = Array.from({ length: 24 }, (_, number) =>
  makePack({
    slug: `guide-${number}`,
    title: `Guide ${String(number).padStart(2, '0')}`,
    content: 'text',
    domain: 'Guides',
    domain_slug: 'guides',
    difficulty: 'expert',
    tokens: 600 + number,
    saved: number,
  }),
)
const hostile = makePack({
  slug: 'hostile',
  title: '<script>alert(1)</script> \u202Etitle',
  domain: '"><img src=x onerror=alert(1)>',
  domain_slug: 'hostile',
  description: `"><script>alert(3)</script> \u202Eabout ${'w'.repeat(900)}`,
  tags: Array.from({ length: 100 }, (_, at) => `<b>tag</b> ${at}`),
  content: 'zz and more',
  preview_content: 'zz',
  rosetta: '[DECODE] zz=<script>alert(2)</script>',
})
const short = makePack({
  slug: 'short',
  content: 'Short.\n',
  preview_content: '# short\n',
  rosetta: glossary.rosetta,
  domain_slug: 'short',
})
const japanese = makePack({
  slug: 'kenpo',
  title: '憲法の前文の手引き',
  domain: '法律',
  domain_slug: 'law',
  subdomain: '憲法',
  content: 'われらは、正当に選挙された国会における代表者を通じて行動する。\n',
  preview_content: 'われらは、正当に選挙された国会における代表者を通じて行動する。\n',
})
const site = await startSite([makePack(glossary), hostile, short, japanese, ...others])

describe('the list', () => {
  const titles = (body: string): string[] =>
    [...body.matchAll(/<h2>\s*<a href="\/browse\/[^"]+"\s*><span[^>]*>(.*?)<\/span/gs)].map(([, title]) =>
      title!.replace(/<\/?mark>/g, ''),
    )

  it('shows twenty packs by title, with a link to the next page', async () => {
    const { body, statusCode } = await site.visit('/browse')
    expect(statusCode).toBe(200)
    expect(titles(body)).toHaveLength(20)
    expect(body).toContain('28 packs, 1 to 20 shown')
    expect(body).toContain('href="/browse?page=2"')
    expect(titles((await site.visit('/browse?page=2')).body)).toHaveLength(8)
  })

  it('filters by title, domain and difficulty, and keeps the filters in fields and links', async () => {
    const path = '/browse?search=guide&domain=guides&difficulty=expert&sort=title'
    const { body } = await site.visit(path)
    expect(body).toContain('24 packs, 1 to 20 shown')
    expect(body).toContain(
      'href="/browse?search=guide&amp;domain=guides&amp;difficulty=expert&amp;sort=title&amp;page=2"',
    )
    expect(body).toMatch(/value="guide"/)
    expect(body).toMatch(/<option value="guides" selected/)
    expect(titles((await site.visit('/browse?search=TLS&domain=&difficulty=&sort=title')).body)).toEqual([
      'TLS basics',
    ])
  })

  it('sorts as requested, and keeps the order in field and links', async () => {
    const { body } = await site.visit('/browse?sort=saved&domain=guides')
    expect(titles(body).slice(0, 3)).toEqual(['Guide 23', 'Guide 22', 'Guide 21'])
    expect(body).toMatch(/<option value="saved" selected/)
    expect(body).toContain('href="/browse?domain=guides&amp;sort=saved&amp;page=2"')
    expect(titles((await site.visit('/browse?sort=smallest')).body)[0]).toBe('Guide 00')
    expect(titles((await site.visit('/browse?sort=newest')).body)[0]).toBe('Guide 23')
    const byTitle = await site.visit('/browse?sort=&search=')
    expect(titles(byTitle.body).at(-1)).toBe('Guide 18')
    expect(byTitle.body).toContain('href="/browse?page=2"')
    expect((await site.visit('/browse?sort=saved')).body).toContain('28 packs, 1 to 20 shown')
  })

  it('shows the beginning of each description', async () => {
    const { body } = await site.visit('/browse?search=TLS&sort=title')
    expect(body).toMatch(/<p class="about"\s*>\s*How browsers &amp; servers agree on keys\.\s*<\/p>/)
    const hostile = (await site.visit('/browse?domain=hostile')).body
    expect(hostile).toContain('[U+202E]about www')
    expect(hostile.match(/w+…/)![0].length).toBeLessThan(200)
  })

  it('shows only filters with a choice, and a button for them without script', async () => {
    const { body } = await site.visit('/browse')
    expect([...body.matchAll(/<select id="~(\w+)"/g)].map(([, name]) => name)).toEqual([
      'domain',
      'difficulty',
      'sort',
    ])
    expect(body).toMatch(/<noscript\s*><p class="field"><button>Apply<\/button><\/p><\/noscript/)
    const single = await startSite([makePack(glossary)])
    expect((await single.visit('/browse')).body).not.toContain('<select')
    expect((await single.visit('/browse?search=tls')).body).not.toMatch(/id="~(?:domain|difficulty)"/)
    await single.close()
  })

  it('explains an empty result and a page after the last', async () => {
    const { body } = await site.visit('/browse?search=zebra&sort=title')
    expect(body).toMatch(/Nothing found for\s+“<bdi\s*>zebra</)
    expect(body).toContain('href="/browse?search=zebra">search headings and text of all packs')
    expect([titles(body), body.includes('<select')]).toEqual([['Guide 23', 'Guide 22', 'Guide 21'], false])
    expect((await site.visit('/browse?page=9')).body).toContain('There is no page 9.')
  })

  // prettier-ignore
  const queries = [
    'page=0', 'page=-1', 'page=501', 'page=1e1', 'page=1&page=2', 'difficulty=hard', 'domain=A', 'sort=size',
    'sort=title&sort=saved', `search=${'a'.repeat(401)}`, `search=${'a'.repeat(201)}&sort=title`,
  ]
  it.each(queries)('rejects %s', async (query) => {
    const { statusCode, body } = await site.visit(`/browse?${query}`)
    expect(statusCode).toBe(400)
    expect(body).toContain('invalid_query')
  })
})

describe('a pack', () => {
  it('is shown to visitors as a preview without its header', async () => {
    const { body, headers } = await site.visit('/browse/tls-basics')
    expect(body).toMatch(/<h1><bdi\s*>TLS basics</)
    expect(body.match(/A certificate transparency log is public\./g)).toHaveLength(1)
    expect(body).not.toContain('[DECODE]')
    expect(headers['cache-control']).toBe('public, max-age=0, s-maxage=60')
    expect(headers['content-security-policy']).not.toContain('unsafe')
    for (const path of ['', '/use', '/1.0.0'])
      expect((await site.visit(`/browse/tls-basics${path}`)).body).toMatch(
        /data-add="tls-basics(?:@1\.0\.0)?"\s+data-tokens="[1-9]\d*"/,
      )
  })

  it('is shown to Free accounts as a preview, without a charge', async () => {
    const cookie = await site.join('free@example.com')
    const read = await site.visit('/browse/tls-basics', { cookie })
    expect(read.body).toContain('This is the beginning of the pack')
    expect(read.body).not.toContain('if you have one')
    const { statusCode, body } = await site.visit('/browse/tls-basics.pack.json', { cookie })
    expect(statusCode).toBe(403)
    expect(body).toContain('yours is Free')
    expect((await site.visit('/settings', { cookie })).body).toMatch(/<b>10<\/b> of 10/)
  })

  it('is shown in full to Pro accounts until the daily quota is used up', async () => {
    const cookie = await site.joinPro('pro@example.com', 3)
    const page = await site.visit('/browse/tls-basics', { cookie })
    expect(page.body.match(/A certificate transparency log is public\./g)).toHaveLength(10)
    expect(page.body).toContain('You have 2 left.')
    const pack = await site.visit('/browse/tls-basics.pack.json', { cookie })
    expect(pack.json()).toMatchObject({
      slug: 'tls-basics',
      rosetta: glossary.rosetta,
      content: glossary.content,
    })
    expect(pack.headers['content-disposition']).toBe('attachment; filename="tls-basics.pack.json"')
    const text = await site.visit('/browse/tls-basics.md', { cookie })
    expect(text.body).toBe(glossary.content.replaceAll('CT', 'certificate transparency'))
    for (const name of ['guide-1', 'guide-2']) await site.visit(`/browse/${name}`, { cookie })
    expect((await site.visit('/browse/tls-basics', { cookie })).body).toContain('You have 0 left.')
    const spent = await site.visit('/browse/guide-3.pack.json', { cookie })
    expect(spent.statusCode).toBe(429)
    expect(spent.headers['retry-after']).toBe('43200')
    expect((await site.visit('/browse/hostile', { cookie })).body).toContain(
      'Your account has used up today’s 3 requests',
    )
  })

  it('lets everybody download its decoded preview', async () => {
    const { body, headers } = await site.visit('/browse/tls-basics.md')
    expect(body).toBe('# TLS basics\n\nA certificate transparency log is public.\n\n')
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(headers['content-disposition']).toBe('attachment; filename="tls-basics.preview.md"')
    expect((await site.visit('/browse/tls-basics')).body).toMatch(
      /href="\/browse\/tls-basics\.md"\s*>\s*Download preview <span class="kind">\.md/,
    )
  })

  it('sends downloads of a full page to sign-in after the session has ended', async () => {
    const cookie = await site.joinPro('ended@example.com', 5)
    const page = (await site.visit('/browse/tls-basics', { cookie })).body
    expect(page).toMatch(/href="\/browse\/tls-basics\.md\?full=1"\s*>\s*Download text /)
    expect(page).not.toMatch(/<a[^>]* download/)
    expect(page).toContain('The first reading of a version each day costs one request. You have 4 left.')
    const text = await site.visit('/browse/tls-basics.md?full=1', { cookie })
    expect(text.headers['content-disposition']).toBe('attachment; filename="tls-basics.md"')
    const late = await site.visit('/browse/tls-basics.md?full=1')
    expect([late.statusCode, late.headers.location, late.body]).toEqual([
      303,
      '/settings?return=%2Fbrowse%2Ftls-basics',
      '',
    ])
    const pack = await site.visit('/browse/tls-basics.pack.json')
    expect([pack.statusCode, pack.headers['content-disposition']]).toEqual([403, undefined])
    expect(pack.body).toContain('href="/settings?return=%2Fbrowse%2Ftls-basics">Sign in</a>')
    await site.catalog.accounts.setTier('ended@example.com', { tier: 'free', actor })
    const free = await site.visit('/browse/tls-basics.md?full=1', { cookie })
    expect([free.statusCode, free.body.includes('yours is Free')]).toEqual([403, true])
  })

  it('offers no preview if it is too short', async () => {
    const { body } = await site.visit('/browse/short')
    expect(body).toContain('This pack is too short for a preview.')
    expect(body).not.toContain('This is the beginning')
  })

  it('marks the language of Chinese, Japanese and Korean text', async () => {
    const list = (await site.visit('/browse?domain=law')).body
    const page = (await site.visit('/browse/kenpo')).body
    expect(page).toMatch(/<bdi lang="ja"\s*>憲法</)
    expect(list).toMatch(/<bdi lang="ja"\s*>法律</)
    expect(list).toMatch(/<span lang="ja"\s*>憲法の前文の手引き</)
    expect(page).toMatch(/<h1><bdi lang="ja"\s*>憲法の前文の手引き</)
    expect(page).toMatch(/<div\s+class="prose"\s+id="~intro"\s+dir="auto"\s+lang="ja"/)
    expect((await site.visit('/browse/tls-basics')).body.match(/ lang="/g)).toHaveLength(1)
  })

  it('escapes bidirectional controls in the window title, and highlights savings', async () => {
    const hostile = (await site.visit('/browse/hostile')).body
    expect(hostile).toContain('<title>&lt;script&gt;alert(1)&lt;/script&gt; [U+202E]title · Packs</title>')
    const { body } = await site.visit('/browse?domain=guides&sort=title')
    expect(body).toMatch(/<p class="saving"\s*>saves \d+\.\d %</)
  })

  it('shows its whole description and all tags, and describes the page with them', async () => {
    const { body } = await site.visit('/browse/hostile')
    expect(body).toMatch(/w{900}\s*<\/p>/)
    expect(body.match(/class="tag"/g)).toHaveLength(100)
    expect(body).toContain('&lt;b&gt;tag&lt;/b&gt; 99')
    const page = (await site.visit('/browse/tls-basics')).body
    expect(page).toContain('<meta name="description" content="How browsers &amp; servers agree on keys." />')
    const without = (await site.visit('/browse/guide-1')).body
    expect(without).toContain('<meta name="description" content="text" />')
    expect(without).not.toMatch(/class="(?:about|tag)"/)
  })

  it('shows hostile markup as text', async () => {
    const { body } = await site.visit('/browse/hostile')
    expect(body).toContain('content="&quot;&gt;&lt;script&gt;alert(3)&lt;/script&gt; [U+202E]about')
    expect(body).toMatch(/<h1><bdi\s*>&lt;script&gt;alert\(1\)&lt;\/script&gt; \[U\+202E\]title</)
    expect(body).toContain('<p class="raw" dir="ltr">&#x3C;script>alert(2)&#x3C;/script></p>')
    expect(body).not.toMatch(/<script(?! src="\/assets\/page\.[\w-]+\.js" type="module"><\/script>)/)
    expect(body).not.toContain('<img')
    expect((await site.visit('/browse?domain=hostile')).body).not.toMatch(/<img|<script>|\u202E/)
  })

  // prettier-ignore
  const names = [
    'none', 'tls_basics', 'pk_00000000000000000000000000', 'a%2fb', '%00', 'tls-basics.exe', 'a/b',
    '..%2f..%2fetc',
  ]
  it.each(names)('is not found at %s', async (name) => {
    const { statusCode, body } = await site.visit(`/browse/${name}`)
    expect(statusCode).toBe(404)
    expect(body).toContain('<h1>There is no such')
  })

  it('can be searched for by its name', async () => {
    const { body } = await site.visit('/browse/tls-%3Cb%3E')
    expect(body).toMatch(/name="search"[^>]*value="tls b"/)
    expect(body).toMatch(/Did you mean\s+<a href="\/browse\/tls-basics"\s*><bdi\s*>TLS basics</)
    const other = (await site.visit('/browse/quokka-zebra')).body
    expect([other.match(/type="search"/g)?.length, other.includes('Did you mean')]).toEqual([1, false])
  })
})

describe('in recovery mode', () => {
  it('shows everything in full to everybody, without a charge', async () => {
    const cookie = await site.joinPro('later@example.com', 1)
    await site.setMode('recovery', { message: 'Disk <b>repair</b>.' })
    const page = await site.visit('/browse/tls-basics')
    expect(page.body.match(/A certificate transparency log is public\./g)).toHaveLength(10)
    expect(page.body).toContain('Disk &lt;b&gt;repair&lt;/b&gt;.')
    expect((await site.visit('/browse/tls-basics.pack.json')).json()).toMatchObject({
      content: glossary.content,
    })
    await site.visit('/browse/tls-basics', { cookie })
    await site.setMode('online')
    expect((await site.visit('/settings', { cookie })).body).toMatch(/<b>1<\/b> of 1 request/)
  })
})

it('lets browsers cache assets for ever, and serves one network 600 pages a minute', async () => {
  const { body } = await site.visit('/')
  const [, stylesheet] = /href="(\/assets\/style\.[\w-]{12}\.css)"/.exec(body)!
  const from = '203.0.113.9'
  for (let count = 0; count < 600; count++)
    expect((await site.visit('/browse/none', { from })).statusCode).toBe(404)
  const refused = await site.visit('/browse', { from })
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60'])
  const asset = await site.visit(stylesheet!, { from })
  expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect((await site.visit('/browse')).statusCode).toBe(200)
  site.pass(61)
  expect((await site.visit('/browse', { from })).statusCode).toBe(200)
})

it('answers HEAD like GET, and sends at most 20 KB compressed for the list and its assets', async () => {
  const head = await site.visit('/browse', { method: 'HEAD' })
  expect([head.statusCode, head.body]).toEqual([200, ''])
  const { body } = await site.visit('/browse')
  const paths = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  expect(paths).toHaveLength(3)
  const files = await Promise.all(paths.map((path) => site.visit(path)))
  const bytes = [body, ...files.map((file) => file.body)].reduce(
    (sum, text) => sum + brotliCompressSync(text).length,
    0,
  )
  expect(bytes).toBeLessThanOrEqual(20_000)
})
