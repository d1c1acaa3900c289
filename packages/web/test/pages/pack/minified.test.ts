import { decode, restore } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import { readPrompt, readTokens } from '../prompt-site.ts'
import { buildVersion } from '../../../../test-kit/test/build-version.ts'
import { dropWrongPatch, readForPeople } from '../../../src/documents/read-document.ts'
import { startSite } from '../../start-site.ts'

const SEEN = 'https://first.example/a-place-that-numbats-know?from=here'
const BEYOND = 'https://later.example/a-place-that-quokkas-know?from='
const COMMENT = '<!-- wombats review this sentence before anybody reads it -->'
const LINE = 'The certificate authority signs the request. '
const BODY = `${COMMENT}

# Guide

Begin with the [first page](${SEEN}) and with ![its picture](${SEEN}).

## Keys {#own-keys}

${LINE}Read [it](${SEEN}) before.

## Rest

${COMMENT}

${Array.from({ length: 12 }, (_, at) => `${LINE}See [page ${at}](${BEYOND}${at}).\n\n`).join('')}The end.
`
/** In no answer to a visitor or a Free account: addresses beyond the preview, and what only the patch holds. */
const HIDDEN = /quokkas|wombats/

const sketch = { slug: 'guide', title: 'Guide', scheme: 'minify-1' } as const
const first = await buildVersion({ ...sketch, body: `${BODY}More.\n` })
const second = await buildVersion({ ...sketch, body: BODY, version: '1.1.0', parent: '1.0.0' })
const { pack } = second
const site = await startSite([
  first,
  second,
  await buildVersion({ ...sketch, slug: 'dense', scheme: 'dense-2', body: BODY + LINE.repeat(40) }),
])
const free = await site.join('free@example.com')
const pro = await site.joinPro('pro@example.com', 500)
const tokenizer = await loadTokenizer('o200k_base')

it('is built of a text whose links are numbered', () => {
  expect(decode(pack.content, pack.rosetta)).toContain('[first page](1)')
  expect(pack.preview_content).not.toContain('The end.')
  expect(restore(pack)).toBe(BODY)
})

describe('the page of a minified pack', () => {
  it('shows the preview with its addresses in place', async () => {
    const { body } = await site.visit('/browse/guide')
    expect(body).toContain(`<a href="${SEEN}" rel="nofollow noopener">first page</a>`)
    expect(body).toContain(`<a href="${SEEN}" rel="nofollow noopener"><bdi>[image: its picture]</bdi></a>`)
    expect(body).not.toContain('href="1"')
    expect((await site.visit('/browse/guide.md')).body).toContain(`[first page](${SEEN})`)
  })

  it('shows whole texts as their sources, and what models read with an address for each number', async () => {
    const { body } = await site.visit('/browse/guide', { cookie: pro })
    for (let at = 0; at < 12; at++) expect(body).toContain(`href="${BEYOND}${at}"`)
    expect(body).toMatch(/id="own-keys"/)
    const models = (await site.visit('/browse/guide/use?links=number', { cookie: pro })).body
    expect(models).toMatch(
      /\[first page\]\(<a class="m e0" href="#~k0" title="[^"]*numbats[^"]*"><bdi>1<\/bdi><\/a>\)/,
    )
    expect(models).toMatch(/<p class="o e0" id="~k0">.*numbats/)
  })

  it('sends the source as markdown, and the whole document', async () => {
    expect((await site.visit('/browse/guide.md?full=1', { cookie: pro })).body).toBe(BODY)
    const markdown = await site.visit('/browse/guide', { cookie: pro, headers: { accept: 'text/markdown' } })
    expect(markdown.body).toBe(BODY)
    expect(markdown.headers['x-markdown-tokens']).toBe(String(tokenizer.countTokens(BODY)))
    const document = (await site.visit('/browse/guide.pack.json', { cookie: pro })).json<Pack>()
    expect([document.links, restore(document)]).toEqual([pack.links, BODY])
  })

  it('copies a section with its addresses, whose tokens its buttons name', async () => {
    const { body } = await site.visit('/browse/guide/1.1.0/section?id=own-keys', { cookie: pro })
    expect(body).toContain(`[it](${SEEN})`)
    const copy = `\\s*>\\s*Copy ${tokenizer.countTokens(body)} tokens`
    const page = (await site.visit('/browse/guide', { cookie: pro })).body
    expect(page).toMatch(new RegExp(`data-copy-section="own-keys"${copy}`))
    const search = (await site.visit('/browse?search=keys', { cookie: pro })).body
    expect(search).toMatch(new RegExp(`guide/1.1.0/section\\?id=own-keys"${copy}`))
  })
})

it.each(['/browse/guide/use', '/browse/dense/use', '/prompt?pack=dense&pack=guide'])(
  'shows, counts and copies one text in each form of its links: %s',
  async (path) => {
    const texts: string[] = []
    for (const form of ['', 'links=inline', 'links=number']) {
      const { body } = await site.visit(`${path}${path.includes('?') ? '&' : '?'}${form}`, { cookie: pro })
      const [, url] = /href="([^"]*)download=1"/.exec(body)!
      const text = (await site.visit(url!.replaceAll('&amp;', '&'), { cookie: pro })).body
      expect(readPrompt(body)).toBe(text)
      expect(readTokens(body)).toBe(tokenizer.countTokens(text))
      expect(body).toMatch(
        new RegExp(
          `data-copy-target="~prompt"\\s*>\\s*Copy ${readTokens(body).toLocaleString('en-US')} tokens`,
        ),
      )
      texts.push(text)
    }
    expect(texts[0]).not.toMatch(/numbats|quokkas|\]\(1\)/)
    expect(texts[0]).toContain('[first page]')
    expect(texts[1]).toContain(`[first page](${SEEN})`)
    expect(texts[2]).toContain('[first page](1)')
  },
)

it('shows the source of a pack with its addresses, whatever the form of links', async () => {
  for (const query of ['', '&links=number']) {
    const { body } = await site.visit(`/browse/guide/use?scheme=none${query}`, { cookie: pro })
    expect(readPrompt(body)).toContain(BODY.trim())
    expect(body).not.toContain('Words only')
  }
})

/** Every page and file of these packs that a visitor can ask for. */
const PATHS = [
  ...['guide', 'guide/1.0.0', 'guide/1.1.0', 'dense'].flatMap((name) => [
    `/browse/${name}`,
    `/browse/${name}?section=rest`,
    `/browse/${name}.md`,
    `/browse/${name}.md?full=1`,
    `/browse/${name}.pack.json`,
    `/browse/${name}/use`,
    ...['none', 'minify-1', 'dense-2', 'max-2'].map((scheme) => `/browse/${name}/use?scheme=${scheme}`),
  ]),
  ...['', '?links=number', '?links=inline', '?links=drop', '?scheme=none&links=inline'].map(
    (query) => `/browse/guide/1.1.0/use.md${query}`,
  ),
  ...['~intro', 'guide', 'own-keys', 'rest'].map((id) => `/browse/guide/1.1.0/section?id=${id}`),
  '/browse/guide/versions',
  '/browse/guide/1.1.0/changes',
  '/browse/guide/1.0.0/changes',
  '/browse',
  '/browse?search=certificate+page',
  '/browse?search=quokkas',
  '/browse?search=end',
  '/prompt?pack=guide&pack=dense',
  '/prompt.md?pack=guide&pack=dense',
  '/',
  '/try',
  '/feed.xml',
  '/llms.txt',
  '/llms-full.txt',
  '/sitemap.xml',
]

describe('visitors and Free accounts', () => {
  it.each(PATHS)('see no address beyond the preview and no word of the patch: %s', async (path) => {
    for (const cookie of [free, undefined])
      for (const accept of ['text/html', 'text/markdown']) {
        const range = { accept, range: 'bytes=500-' }
        const visit = await site.visit(path, { headers: range, ...(cookie !== undefined && { cookie }) })
        // The page repeats what was searched for.
        const body = visit.body.replaceAll(/quokkas(?=["<“”’ +.&])/g, path.includes('=quokkas') ? '' : '$&')
        expect(HIDDEN.exec(body)?.[0]).toBeUndefined()
        expect(HIDDEN.test(JSON.stringify(visit.headers))).toBe(false)
        expect(body).not.toMatch(/"patch"/)
      }
  })

  it('is a test that finds them where they may be', async () => {
    const bodies = [
      '/browse/guide/use?links=inline',
      '/browse/guide.md?full=1',
      '/browse/guide.pack.json',
    ].map(async (path) => (await site.visit(path, { cookie: pro })).body)
    for (const body of await Promise.all(bodies)) expect(body).toMatch(HIDDEN)
  })
})

describe('a pack whose text is not what minify makes of its source', () => {
  const text = decode(pack.content, pack.rosetta)
  const at = text.indexOf('The end.')
  const shown = readForPeople({ ...pack, patch: undefined } as unknown as Pack, 'full')

  it.each([
    ['hides a sentence', [[at, 8, '']]],
    ['shows another sentence', [[at, 8, 'The beginning.']]],
    ['is damaged', [[text.length + 1, 1, 'x']]],
  ] as const)('is read as models read it: its patch %s', async (_name, rows) => {
    const patch = [...pack.patch!.filter(([from]) => from < at), ...rows]
    const read = await dropWrongPatch({ ...pack, patch })
    expect(read.patch).toBeUndefined()
    expect(readForPeople(read, 'full')).toBe(shown)
    expect(shown).toContain(`[page 3](${BEYOND}3).`)
    expect(shown).not.toContain('wombats')
  })

  it('is not one that was built', async () => {
    expect(readForPeople(await dropWrongPatch(pack), 'full')).toBe(BODY)
  })
})
