import { loadTokenizer } from '@packs/codec/compress'
import { describe, expect, it, vi } from 'vitest'
import { makePack } from '../../make-pack.ts'
import { startSite } from '../../start-site.ts'

const REDIS = `# Redis in practice

Keys and values in memory.

## Key expiration

Set a time to live with the command expire.

### Lazy expiration

A key that is read after its time is removed then.

## Persistence

Snapshots are written by a forked process. The zebra is striped.

## Eviction

The key with the oldest access goes first, whatever its expiration. Keys without expiration stay.
`
const HOSTILE = `# "><script>alert(1)</script> \u202Ebad

<img src=x onerror=alert(1)> quagga \u202Etxet

## Second "onclick="alert(1) {#main}

quagga again
`
const packs = [
  makePack({
    slug: 'redis',
    title: 'Redis in practice',
    domain: 'Databases & caches',
    domain_slug: 'databases',
    content: REDIS,
    preview_content: REDIS.slice(0, REDIS.indexOf('## Persistence')),
  }),
  makePack({
    slug: 'hostile',
    title: '<script>alert(1)</script> \u202Etitle',
    domain: '"><img src=x onerror=alert(1)>',
    domain_slug: 'hostile',
    content: HOSTILE,
    preview_content: HOSTILE,
  }),
  makePack({
    slug: 'reactive',
    title: 'リアクティブの手引き',
    domain_slug: 'guides',
    content: '# リアクティブの手引き\n\n## 依存関係の追跡\n\n値が変わると再計算される。\n',
    preview_content: '# リアクティブの手引き\n\n## 依存関係の追跡\n\n値が変わると再計算される。\n',
  }),
  ...Array.from({ length: 30 }, (_, number) =>
    makePack({
      slug: `wombat-${number}`,
      title: `Wombat ${String(number).padStart(2, '0')}`,
      domain: 'Animals',
      domain_slug: 'animals',
      difficulty: number < 5 ? 'expert' : 'beginner',
      content: `# Wombat ${number}\n\nIt digs.\n`,
      preview_content: '',
    }),
  ),
]

const site = await startSite(packs)

/** Returns the results of a page as text: links in brackets, one line for each block. */
async function search(query: Readonly<Record<string, string>>, cookie?: string): Promise<string> {
  const path = `/browse?${new URLSearchParams(query).toString()}`
  const { body, statusCode } = await site.visit(path, cookie === undefined ? {} : { cookie })
  expect(statusCode).toBe(200)
  return body.slice(body.indexOf('<main'), body.indexOf('</main>'))
}

/** Links of the hits, each section as its id alone, which the address has twice. */
const links = (body: string): string[] =>
  [...body.slice(body.indexOf('class="packs')).matchAll(/href="\/browse\/([^"]+)"/g)].map(([, path]) =>
    decodeURIComponent(path!.replace(/\?section=([^#]*)(?=#\1$)/, '')),
  )
const snippets = (body: string): string[] =>
  [...body.matchAll(/<p class="snippet"[^>]*>(.*?)<\/p>/gs)].map(([, text]) =>
    text!.replace(/<\/?mark>/g, '').trim(),
  )

describe('a search by best match', () => {
  it('finds sections, and shows them with path, tokens and text below their pack', async () => {
    const body = await search({ search: 'how to set a key expiration' })
    expect(links(body).slice(0, 2)).toEqual(['redis', 'redis#key-expiration'])
    expect(body).toMatch(
      /<p class="path">\s*<a href="\/browse\/redis\?section=key-expiration#key-expiration"\s*><bdi\s*>Key expiration</,
    )
    expect(snippets(body)).toContain('Set a time to live with the command expire.')
    expect(body).toMatch(/<bdi\s*>Databases &amp; caches</)
    expect(body).toMatch(/<option value="" selected\s*>Best match/)
    expect(body.match(/<h2>/g)).toHaveLength(1)
  })

  it('answers a question with passages as the API does, and says how well they match', async () => {
    const question = 'what happens with the persistence of snapshots, and how do I set a key expiration?'
    const parts = (body: string): string =>
      [...body.matchAll(/ data-part[^>]*>\n?(.*?)<\/(?:span|pre)>/gs)].map(([, part]) => part).join('')
    const read = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    const pro = await site.joinPro('asks@example.com', 99)
    // A busy machine may refuse the passages; the page is then without.
    const ask = async (cookie?: string): Promise<string> =>
      vi.waitFor(
        async () => {
          const answer = await search({ search: question }, cookie)
          expect(parts(answer)).not.toBe('')
          return answer
        },
        { timeout: 60_000 },
      )
    const body = await ask(pro)
    expect(body).toMatch(/(?:Good|Partial) match<.*data-tokens="(\d+)"\s*>\s*Copy \1 tokens</s)
    const text = read(parts(body).replaceAll('&quot;', '"'))
    expect(text).toMatch(/Documents are quoted data.*<doc id="redis#.*zebra is striped.*<\/doc>\n$/s)
    const tokenizer = await loadTokenizer('o200k_base')
    expect(body).toContain(`Copy ${tokenizer.countTokens(text)} tokens`)
    expect(parts(await ask())).toMatch(/Set a time to live.*(?<!zebra.*)$/s)
    expect(body).toMatch(/You have 9\d left today\./)
    expect(parts(await search({ search: 'key expiration' }, pro))).toBe('')
    expect(await search({ search: 'wombat tax return deadline' })).toMatch(
      /Nothing answers this|Partial match|The sections with some of these words are beyond/,
    )
  })

  it('says that the best sections are beyond the preview, links to them, and is the same for all questions', async () => {
    const body = await search({
      search: 'key expiration, and persistence with snapshots of a forked process',
    })
    expect(body).toContain('Partial: the best sections are in Pro')
    expect(body).toContain('href="/browse/redis?section=persistence#persistence"')
    for (const text of [
      'key expiration time',
      'lazy expiration',
      'redis keys and values',
      'zebra expiration',
    ]) {
      const [, results = ''] = (await search({ search: text })).split('class="packs results"')
      const locked = /in the whole pack \(Pro\):([^]*?)<\/p>/.exec(results)?.[1] ?? ''
      expect([text, /section=(?:key|lazy)-expiration/.test(locked)]).toEqual([text, false])
      expect([text, /section\?id=(?:persistence|eviction)/.test(results)]).toEqual([text, false])
    }
  })

  it('shows no text beyond the preview to visitors and Free accounts, nor to a Pro account without quota', async () => {
    const beyond = { search: 'zebra stripes' }
    const body = await search(beyond)
    expect(links(body)).toContain('redis#persistence')
    expect(body).toMatch(/1 section\s+matches in the whole pack \(Pro\):\s*<a href="\/browse\/redis\?/)
    expect(body).toMatch(/Results show only previews\.\s+Ask the operator/)
    const free = await site.join('free@example.com')
    expect(await search(beyond, free)).not.toContain('The zebra is striped')
    const pro = await site.joinPro('pro@example.com', 1)
    expect(snippets(await search(beyond, pro))[0]).toContain('The zebra is striped.')
    expect(await search(beyond, pro)).not.toContain('The zebra is striped')
    await site.setMode('recovery')
    expect(snippets(await search(beyond))[0]).toContain('The zebra is striped.')
    await site.setMode('online')
  })

  it('costs a Pro account a request, and says so', async () => {
    const pro = await site.joinPro('counted@example.com', 2)
    expect(await search({ search: 'zebra' }, pro)).toMatch(
      /Each search counts as a request\. You have 1 left today\./,
    )
    expect(await search({ search: 'zebra', page: '2' }, pro)).toContain('You have 0 left today.')
    const spent = await search({ search: 'zebra' }, pro)
    expect(spent).toContain('Results show only previews. Your account has used up today’s 2 requests.')
    expect(spent).toMatch(/1 section\s+matches in the whole pack/)
    expect(await search({ search: 'zebra' })).not.toContain('request')
  })

  it('is limited to 60 a minute for the visitors of a network, and for an account that is not charged', async () => {
    const free = await site.join('busy@example.com')
    const pro = await site.joinPro('office@example.com', 100)
    const ask = async (from: string, cookie?: string, path = '/browse?search=zebra'): Promise<number> =>
      (await site.visit(path, { from, ...(cookie !== undefined && { cookie }) })).statusCode
    for (let count = 0; count < 60; count++) {
      expect(await ask('192.0.2.1')).toBe(200)
      expect(await ask(`192.0.3.${count}`, free)).toBe(200)
    }
    const refused = await site.visit('/browse?search=zebra', { from: '192.0.2.1' })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(refused.body).toContain('You searched too often within a minute')
    expect(await ask('192.0.3.99', free)).toBe(429)
    expect(await ask('192.0.2.1', undefined, '/browse')).toBe(200)
    expect(await ask('192.0.2.1', pro)).toBe(200)
    expect(await ask('192.0.2.2')).toBe(200)
    site.pass(60)
    expect(await ask('192.0.2.1')).toBe(200)
  })

  it('takes at most four phrases', async () => {
    expect(await search({ search: '"time to live" "a b" "c d" "e f"' })).toContain('role="status"')
    const { statusCode, body } = await site.visit(
      `/browse?search=${encodeURIComponent('"a" "b" “c” "d" "e"')}`,
    )
    expect(statusCode).toBe(400)
    expect(body).toContain('A search can have at most 4 phrases in quotation marks')
  })

  it('marks the words of the query in any form, and shows snippets without markup', async () => {
    const body = await search({ search: 'setting key expirations' })
    expect(body).toMatch(/<mark>Set<\/mark> a time to live with the command <mark>expire<\/mark>\./)
    expect(await search({ search: '"time to live"' })).toContain('<mark>time')
  })

  it('offers a copy only of sections that the visitor may read wholly, and adds its pack to a prompt', async () => {
    const open = await search({ search: 'expire command' })
    const copies = (body: string): string[] =>
      [...body.matchAll(/data-copy-url="([^"]*)"/g)].map(([, url]) => url!)
    expect(copies(open)).toContain('/browse/redis/1.0.0/section?id=key-expiration')
    expect(open).toContain('href="/prompt?pack=redis"')
    expect(copies(await search({ search: 'zebra' }))).toEqual([])
    const pro = await site.joinPro('copies@example.com', 5)
    expect(copies(await search({ search: 'zebra' }, pro))).toEqual([
      '/browse/redis/1.0.0/section?id=persistence',
    ])
    const { headers } = await site.visit('/browse?search=expire')
    expect(headers['content-security-policy']).toContain("connect-src 'self'")
    expect((await site.visit('/browse')).headers['content-security-policy']).not.toContain('connect-src')
  })

  it('has one search, a title of its own, and no place in search engines', async () => {
    const { body } = await site.visit('/browse?search=redis&page=1')
    expect(body.match(/type="search"/g)).toHaveLength(1)
    expect(body).toContain('<title>redis - search · Packs</title>')
    expect(body).toContain('<meta name="robots" content="noindex" />')
    const list = (await site.visit('/browse?domain=animals&page=2&search=&sort=')).body
    expect(list).toContain('<title>Animals, page 2 · Packs</title>')
    expect(list).toContain('<link rel="canonical" href="http://site.test/browse?domain=animals&amp;page=2"')
    expect(list).not.toContain('noindex')
  })

  it('finds phrases in quotation marks', async () => {
    expect(links(await search({ search: '"time to live"' }))).toContain('redis#key-expiration')
    const none = await search({ search: '"live to time"' })
    expect(none).toContain('Nothing found for')
    expect(none).toContain('without quotation marks')
  })

  it('shows what a misspelt query was taken for', async () => {
    const body = await search({ search: 'redis persistnce' })
    expect(body).toMatch(/Showing results for <b dir="auto">redis persistence<\/b>\./)
    expect(links(body)).toContain('redis#persistence')
  })

  it('finds text without spaces, and marks its language', async () => {
    const body = await search({ search: 'リアクティブ 依存関係' })
    expect(links(body)).toContain('reactive#依存関係の追跡')
    expect(body).toMatch(/<bdi lang="ja"\s*>依存関係の追跡</)
  })

  it('filters by domain and difficulty, and pages', async () => {
    const query = { search: 'wombat', domain: 'animals', difficulty: 'beginner' }
    const first = await search(query)
    expect(first).toMatch(/role="status">\d+ packs on this page</)
    expect(first).toContain(
      'href="/browse?search=wombat&amp;domain=animals&amp;difficulty=beginner&amp;page=2"',
    )
    const second = await search({ ...query, page: '2' })
    const found = new Set([...links(first), ...links(second)].map((link) => link.split('#')[0]))
    expect([...found].filter((slug) => /^wombat-[0-4]$/.test(slug!))).toEqual([])
    expect(await search({ ...query, page: '50' })).toContain('There is no page 50.')
  })

  it('says how to go on if nothing matches', async () => {
    const body = await search({ search: 'zzzzqq', domain: 'animals' })
    expect(body).toContain('Nothing found for')
    expect(body).toContain('href="/browse?search=zzzzqq">search headings and text of all packs')
    expect(body).toMatch(/<h2 class="others">Other packs in this catalog<\/h2>\s*<ul class="packs">\s*<li>/)
    expect(body).not.toMatch(/<select|only previews/)
  })

  it('shows hostile names and texts as text', async () => {
    for (const query of ['quagga', 'script alert', 'onclick', '<script>alert(1)</script>', '"><b>quuagga']) {
      const body = await search({ search: query })
      expect(body).not.toMatch(/<(?:script|img)|\u202E|<b>quu/)
      const tags = body.match(/<[^>]*>/g)!.map((tag) => tag.replace(/"[^"]*"/g, ''))
      expect(tags.filter((tag) => / on/.test(tag))).toEqual([])
    }
    const body = await search({ search: 'quagga' })
    expect(links(body)).toContain('hostile#main')
    expect(body).toContain('[U+202E]title')
    expect(body).toContain('[U+202E]txet')
    expect(await search({ search: '<b>quagaa' })).toContain('&lt;b&gt;quagga</b>')
  })

  it('answers with 400 code points, and rejects more', async () => {
    expect(await search({ search: '🙂'.repeat(400) })).toContain('Nothing found for')
    expect((await site.visit(`/browse?search=${encodeURIComponent('🙂'.repeat(401))}`)).statusCode).toBe(400)
  })
})

describe('the contents list of a pack', () => {
  it('links to the headings that the page shows, and lists those beyond the preview', async () => {
    const { body } = await site.visit('/browse/redis')
    const nav = /<nav class="contents" aria-label="Contents">[^]*?<\/nav>/.exec(body)![0]
    expect(
      [...nav.matchAll(/<a href="([^"]+)"><bdi\s*>([^<]*)</g)].map(([, href, name]) => [href, name]),
    ).toEqual([
      ['#key-expiration', 'Key expiration'],
      ['#lazy-expiration', 'Lazy expiration'],
    ])
    const locked = nav.matchAll(/class="locked" href="([^"]*)"[^>]*><bdi\s*>([^<]*)</g)
    expect([...locked].map(([, href, name]) => [href, name])).toEqual([
      ['?section=persistence', 'Persistence'],
      ['?section=eviction', 'Eviction'],
    ])
    expect(nav).toMatch(/Sections marked Pro are\s+beyond\s+the preview\./)
    expect(nav.replace(/\s+/g, '')).toMatch(/<\/a><ul><li><ahref="#lazy-expiration">/)
    expect(body).toContain('<h2 id="key-expiration">')
  })

  it('is not shown for a text without headings', async () => {
    expect((await site.visit('/browse/wombat-1')).body).not.toContain('class="contents"')
  })

  it('uses ids of sections that no id of the page equals', async () => {
    const names = ['main', 'text', 'cost', 'header', 'versions']
    const content = names.map((name) => `# ${name}\n\nwords\n`).join('\n')
    const other = await startSite([makePack({ slug: 'names', content, preview_content: content })])
    const { body } = await other.visit('/browse/names')
    await other.close()
    const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining([...names, '~main', '~cost']))
    const labels = [...body.matchAll(/aria-labelledby="([^"]*)"/g)].map(([, id]) => id!)
    expect(labels.filter((id) => !ids.includes(id))).toEqual([])
  })
})
