import { decode, restore } from '@packs/codec'
import { digestRows, sealPack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const OPEN = 'https://open.example/handbook/of/keys/before-you-begin?from=guide'
const PLAN = '../open-plans/rotation-of-keys-in-the-first-quarter.md'
const LOCKED = 'https://locked.example/handbook/of/keys/after-you-have-paid?from=guide'
const PARAGRAPH = 'A key that nobody rotates is a key that somebody has copied.'

/** The preview has two links, and code that looks like a link to the third address, which is locked. */
const body = `# Keys

Read [before you begin](${OPEN}) and [the plan](${PLAN}). In code, \`[see](3)\` is no link. <!-- PATCHMARK one -->

${`${PARAGRAPH} `.repeat(30)}

## Renewal

Renew [with care](${LOCKED}), and [with care again](${LOCKED}#twice). <!-- PATCHMARK two -->

${`${PARAGRAPH} It is the duty of its owner to rotate it. `.repeat(40)}
`

const SCHEMES = ['minify-1', 'dense-2', 'max-2', 'none'] as const
const URL = 'https://docs.example/guide/keys'

const versions = await Promise.all(
  SCHEMES.map(async (scheme) => {
    const version = await buildVersion({ slug: `keys-${scheme}`, title: 'Keys', body, scheme })
    const { pack_digest: _digest, ...draft } = version.pack
    return scheme === 'none' ? version : { ...version, pack: sealPack({ ...draft, url: URL }) }
  }),
)
const api = await startApi({ versions })
const minified = SCHEMES.filter((scheme) => scheme !== 'none').map((scheme) => `keys-${scheme}`)

const ask = (path: string, tier: 'free' | 'pro' = 'pro', accept = 'application/json'): Promise<ApiResponse> =>
  api.request(`/api/v1${path}`, { key: api[tier].key, headers: { accept } })
const parse = ({ text }: ApiResponse): Pack & { readonly links: Record<string, string> } =>
  JSON.parse(text) as Pack & { readonly links: Record<string, string> }

describe('links and patches of packs', () => {
  it.each(minified)('come to Pro accounts, the patch only if it is asked for: %s', async (slug) => {
    const plain = parse(await ask(`/packs/${slug}`))
    expect(plain.links).toEqual([OPEN, PLAN, LOCKED, `${LOCKED}#twice`])
    expect(plain.minify).toEqual({ dialect: [], off: [] })
    expect(digestRows(plain.links as unknown as string[])).toBe(plain.links_sha256)
    expect(Object.keys(plain)).not.toContain('patch')
    const whole = parse(await ask(`/packs/${slug}?include=source`))
    expect(restore(whole)).toBe(body)
    expect(restore(whole, { frontMatter: true })).toContain('title: "Keys"\n')
    expect(Object.keys(whole)).not.toContain('signatures')
    const document = parse(await ask(`/packs/${slug}/versions/1.0.0?include=document`))
    expect(document.patch).toEqual(whole.patch)
    const versionsOfSource = await ask(`/packs/${slug}/versions/1.0.0?include=source`)
    expect(versionsOfSource.headers['cache-control']).toBe('private, max-age=31536000, immutable')
  })

  it.each(['', '?include=source', '?include=document'])('come in downloads%s', async (query) => {
    const { json } = await ask(`/packs/download${query}`)
    for (const pack of json.data as unknown as Pack[]) {
      const isNone = pack.compression === 'none'
      expect(pack.links).toEqual(isNone ? undefined : [OPEN, PLAN, LOCKED, `${LOCKED}#twice`])
      const { patch } = pack
      expect(patch !== undefined).toBe(!isNone && query !== '')
      expect([undefined, pack.patch_sha256]).toContain(patch && digestRows(patch))
    }
  })

  it('are absent from packs whose text is the source', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const names = Object.keys(parse(await ask('/packs/keys-none?include=document', tier)))
      expect(names.filter((name) => /links|patch|minify|text_/.test(name))).toEqual([])
    }
  })

  it.each(minified)(
    'have the addresses in the preview, and in text for a prompt in place: %s',
    async (slug) => {
      const preview = parse(await ask(`/packs/${slug}`, 'free'))
      expect(preview.links).toEqual({ 1: OPEN, 2: PLAN })
      const whole = await ask(`/packs/${slug}`, 'pro', 'text/markdown')
      expect(whole.text).toContain(`[with care again](${LOCKED}#twice)`)
      expect(whole.text).not.toContain('[DECODE]')
      if (slug !== 'keys-minify-1') return
      expect(preview.content).toContain(
        '[before you begin](1) and [the plan](2). In code, `[see](3)` is no link.',
      )
      const markdown = await ask(`/packs/${slug}`, 'free', 'text/markdown')
      expect(markdown.text).toContain(
        `[before you begin](${OPEN}) and [the plan](https://docs.example/open-plans/`,
      )
      expect(markdown.text).toContain('`[see](3)`')
    },
  )
})

describe('links of a section', () => {
  it.each(minified)('are numbers with their addresses: %s', async (slug) => {
    const { content, rosetta, links } = parse(await ask(`/packs/${slug}/sections/renewal`))
    expect(decode(content, rosetta)).toContain('[with care](3), and [with care again](4)')
    expect(links).toEqual({ 3: LOCKED, 4: `${LOCKED}#twice` })
    const opening = parse(await ask(`/packs/${slug}/sections/keys`))
    // In an answer without the URL of the page, relative addresses are whole ones.
    expect(opening.links).toEqual({ 1: OPEN, 2: `https://docs.example/${PLAN.slice(3)}` })
  })

  it.each([
    ['inline', 'application/json', `[with care](${LOCKED}), and [with care again](${LOCKED}#twice).`],
    ['drop', 'application/json', 'Renew [with care], and [with care again].'],
    ['drop', 'text/markdown', 'Renew [with care], and [with care again].'],
    ['number', 'text/markdown', '[with care](3), and [with care again](4).'],
    [undefined, 'text/markdown', `[with care](${LOCKED}), and [with care again](${LOCKED}#twice).`],
  ])('are written as %s for %s', async (form, accept, expected) => {
    const query = form === undefined ? '' : `?links=${form}`
    const { text } = await ask(`/packs/keys-minify-1/sections/renewal${query}`, 'pro', accept)
    const { content, links } = accept === 'text/markdown' ? { content: text } : (JSON.parse(text) as Pack)
    expect(content).toContain(expected)
    expect(links).toBeUndefined()
  })

  it('are not written otherwise', async () => {
    for (const path of ['/packs/keys-none/sections/keys', '/context'])
      expect((await ask(`${path}?links=all&q=keys`)).json.errors).toContainEqual({
        parameter: 'links',
        detail: 'must be number, inline or drop',
      })
  })
})

describe('links of a context', () => {
  const PACKS = '?pack=keys-minify-1&pack=keys-dense-2'

  it('are numbered over the whole text, in the order in which they appear', async () => {
    const { text, links } = parse(await ask(`/context${PACKS}`)) as unknown as { text: string; links: object }
    const numbers = Array.from(
      text.matchAll(/\[(?:with care|before|the plan)[^\]]*\]\((\d)\)/g),
      ([, n]) => n,
    )
    expect(numbers).toEqual(['1', '2', '3', '4', '1', '2', '3', '4'])
    const plan = `https://docs.example/${PLAN.slice(3)}`
    expect(Object.entries(links).filter(([number]) => number <= '4')).toEqual([
      ['1', OPEN],
      ['2', plan],
      ['3', LOCKED],
      ['4', `${LOCKED}#twice`],
    ])
  })

  it.each([PACKS, '?q=renew+with+care&pack=keys-minify-1'])(
    'have their addresses in place or none: %s',
    async (query) => {
      const inline = await ask(`/context${query}&links=inline`)
      expect(inline.json['text']).toContain(`[with care again](${LOCKED}#twice)`)
      expect(inline.json['links']).toEqual({})
      expect((await ask(`/context${query}`, 'pro', 'text/markdown')).text).toBe(inline.json['text'])
      const dropped = await ask(`/context${query}&links=drop`)
      expect(dropped.json['text']).toContain('[with care], and [with care again].')
      const numbered = await ask(`/context${query}`)
      expect(Object.values(numbered.json['links'] as object)).toContain(LOCKED)
      for (const { json } of [inline, dropped, numbered])
        expect(Number(json['tokens'])).toBeLessThanOrEqual(Number(json['budget']))
    },
  )
})

describe('Free accounts', () => {
  const forged = ['', 'include=source', 'include=document', 'links=number', 'links=drop', 'fields=patch']
  const paths = SCHEMES.flatMap((scheme) => {
    const pack = `/packs/keys-${scheme}`
    return [
      pack,
      `${pack}/versions/1.0.0`,
      `${pack}/sections/keys`,
      `${pack}/sections/renewal`,
      `${pack}/sections`,
      `${pack}/versions`,
      `${pack}/versions/1.0.0/sections/renewal`,
      `${pack}/versions/9.0.0`,
      `${pack}/sections/nothing`,
      `/context?pack=keys-${scheme}`,
    ]
  })
  const searches = ['/context?q=renew+with+care', '/context?q=PATCHMARK', '/context?q=locked.example']
  const others = ['/search?q=renew+with+care', '/search?q=PATCHMARK', '/search?q=%22after-you-have-paid%22']
  const all = [...paths, ...searches, ...others, '/packs', '/packs/download', '/usage']

  it.each(
    listPairs([
      ['application/json', ...all],
      ['text/markdown', ...all],
    ]),
  )('get no byte of the patch and no address beyond the preview: %s as %s', async (path, accept) => {
    const { key } = await api.addCustomer('free', 100)
    const { etag = '"0"' } = (await ask(path, 'pro', accept)).headers
    const requests = forged.flatMap((query) =>
      [{}, { range: 'bytes=900-' }, { 'if-none-match': etag }].map((more) => ({ query, more })),
    )
    for (const { query, more } of requests) {
      const url = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
      const { text, headers, status } = await api.request(`/api/v1${url}`, {
        key,
        headers: { accept, ...more },
      })
      // Only lists are the same for every tier.
      expect([200, /\/(?:section|version|pack)s$/.test(path) ? 304 : 200, 400, 403, 404]).toContain(status)
      const sent = `${text.replaceAll(/"(?:detail|instance|next|corrected)":"[^"]*"/g, '')} ${JSON.stringify(headers)}`
      // Under none a preview is the beginning of the source, and searches find it.
      const isMinified = minified.some((slug) => path.includes(slug))
      const marks = isMinified ? /PATCHMARK|locked\.example/ : /PATCHMARK two|locked\.example/
      expect(sent).not.toMatch(marks)
      expect(sent).not.toMatch(/"patch"|patch_sha256|links_sha256|text_sha256/)
    }
  })
})
