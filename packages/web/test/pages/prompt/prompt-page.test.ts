import type { NewVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { composePrompt } from '@packs/codec/prompt'
import { makePack } from '../../make-pack.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Site } from '../../start-site.ts'
import {
  DNS,
  HEADER_WORD,
  HIDDEN_WORD,
  joinPro,
  readPrompt,
  readTokens,
  startPromptSite,
  TLS,
} from './prompt-site.ts'

let site: Site
let versions: readonly NewVersion[]
let pro: string
beforeAll(async () => {
  ;({ site, versions } = await startPromptSite())
  pro = await joinPro(site, 'pro@example.com', 500)
})
afterAll(() => site.close())

const pack = (slug: string): NewVersion['pack'] =>
  versions.find((version) => version.pack.slug === slug)!.pack

async function open(query: string, cookie?: string): Promise<string> {
  const { body, statusCode } = await site.visit(`/prompt${query}`, cookie === undefined ? {} : { cookie })
  expect(statusCode).toBe(200)
  return body.slice(body.indexOf('<main'), body.indexOf('</main>'))
}

describe('a prompt of packs', () => {
  it.each([
    ['', {}],
    ['&scheme=max-1', { scheme: 'max-1' }],
    ['&scheme=as-built', { asBuilt: true }],
    ['&scheme=none&tokenizer=cl100k_base', { scheme: 'none', tokenizer: 'cl100k_base' }],
  ] as const)('is what composePrompt writes, with its tokens and shares: %s', async (parameters, options) => {
    if ('tokenizer' in options) await (await import('@packs/codec/tokens')).loadTokenizer(options.tokenizer)
    const expected = composePrompt([pack('tls'), pack('dns')], options)
    const body = await open(`?pack=tls&pack=dns${parameters}`, pro)
    expect(readPrompt(body)).toBe(expected.text)
    expect(readTokens(body)).toBe(expected.tokens)
    expect(body).toContain(`Copy ${expected.tokens.toLocaleString('en-US')} tokens`)
    for (const { tokens } of expected.shares)
      expect(body).toContain(`<b>${tokens.toLocaleString('en-US')}</b>`)
    const file = await site.visit(`/prompt.md?pack=tls&pack=dns${parameters}&full=1&download=1`, {
      cookie: pro,
    })
    expect(file.body).toBe(expected.text)
    expect(file.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': 'attachment; filename="prompt.md"',
    })
    expect(decode(expected.text, expected.rosetta)).toContain(DNS)
  })

  it('has the order of the URL, and links that move and remove', async () => {
    const body = await open('?pack=dns&pack=tls@1.0.0', pro)
    const text = readPrompt(body)
    expect(text.indexOf('DNS')).toBeLessThan(text.indexOf('TLS'))
    expect(body).toContain('href="/prompt?pack=tls@1.0.0&amp;pack=dns"')
    expect(body).toContain('href="/prompt?pack=dns"')
  })

  it('has the lines of programs for what they can take', async () => {
    const body = await open('?pack=tls&pack=dns@1.0.0&scheme=dense-1&budget=9000', pro)
    expect(body).toContain(
      `pack add tls dns@1.0.0 --url http://site.test\npack prompt tls dns --scheme dense-1 --budget 9000`,
    )
  })

  it('costs one request of the quota a version, whatever the page', async () => {
    const cookie = await joinPro(site, 'once@example.com', 3)
    expect(readPrompt(await open('?pack=tls&section=tls/rotation', cookie))).toContain('quokka')
    const { body } = await site.visit('/settings', { cookie })
    expect(body).toMatch(/\b1 of 3\b|\b2\b/)
  })
})

describe('sections', () => {
  it('follow the packs as plain text', async () => {
    const body = await open('?pack=dns&section=tls/rotation', pro)
    const text = readPrompt(body)
    expect(text).toMatch(/## Rotation\n\nRotate with a quokka\.\n[^]*$/)
    expect(text.indexOf('## Zones')).toBeLessThan(text.indexOf('## Rotation'))
  })

  it('stand alone', async () => {
    const text = readPrompt(await open('?section=tls/rotation', pro))
    expect(text).toContain('Rotate with a quokka.')
    expect(text).not.toContain('certificate authority')
  })

  it('are refused beyond the preview, and found by similar names', async () => {
    const body = await open('?section=tls/rotation')
    expect(body).toContain('Beyond the preview, so it is not in the prompt.')
    expect(body).not.toContain(HIDDEN_WORD)
    const file = await site.visit('/prompt.md?section=tls/rotation')
    expect([file.statusCode, file.body]).toEqual([403, expect.stringContaining('need a Pro account')])
    const wrong = await open('?section=tls/rotations', pro)
    expect(wrong).toContain('href="/prompt?section=tls/rotation"')
  })
})

it('is of the packs as they were built if they are too large to be compressed again', async () => {
  const large = makePack({ slug: 'large', content: 'Words of a book. '.repeat(70_000) })
  await site.catalog.packs.commit([large])
  const body = await open('?pack=large', pro)
  expect(body).toContain('too large to compress together here')
  expect(body).toContain('pack prompt large --as-built')
  expect(readTokens(body)).toBe(composePrompt([large.pack], { asBuilt: true }).tokens)
})

describe('what is no prompt', () => {
  it('begins with packs to add', async () => {
    const body = await open('')
    expect(body).toContain('href="/prompt?pack=tls"')
    expect(body).not.toContain('id="~prompt"')
  })

  it.each([
    ['', 'This prompt is empty'],
    ['?pack=tls&pack=dns-records', 'There is no pack “dns-records”'],
    ['?pack=tls&section=tls/rotations', 'The pack tls has no section “rotations”'],
    ['?pack=tls&scheme=zip', 'There is no scheme “zip”'],
  ])('is no file without what its URL names: %s', async (query, message) => {
    const { body, statusCode } = await site.visit(`/prompt.md${query}`, { cookie: pro })
    expect([statusCode, body]).toEqual([400, expect.stringContaining(message)])
  })

  it('names what is unknown, with similar names, and composes the rest', async () => {
    const body = await open('?pack=tls&pack=dns-records&pack=tls@9.0.0&pack=Not%20a%20name', pro)
    expect(readPrompt(body)).toContain('quokka')
    expect(body).toContain('href="/prompt.md?pack=tls&amp;full=1&amp;download=1"')
    expect(body).toContain('There is no pack “dns-records”.')
    expect(body).toContain('The pack tls has no version 9.0.0.')
    expect(body).toContain('“Not a name” is not the name of a pack')
  })

  it('says how many packs are too many', async () => {
    const names = Array.from({ length: 51 }, (_, at) => `pack=pack-${at}`).join('&')
    const body = await open(`?${names}`, pro)
    expect(body).toContain('A prompt has at most 50 packs and sections. Remove 1 to compose it.')
    const file = await site.visit(`/prompt.md?${names}`, { cookie: pro })
    expect([file.statusCode, file.body]).toEqual([
      400,
      expect.stringContaining('A prompt has at most 50 packs'),
    ])
  })

  it('says what a prompt over the budget takes, with each share', async () => {
    const { tokens, shares } = composePrompt([pack('tls'), pack('dns')])
    const body = await open('?pack=tls&pack=dns&budget=10', pro)
    expect(body).toMatch(
      new RegExp(
        `takes\\s+${tokens}\\s+tokens,\\s+${tokens - 10}\\s+more\\s+than\\s+the\\s+budget\\s+of\\s+10`,
      ),
    )
    for (const share of shares) expect(body).toContain(`<b>${share.tokens}</b>`)
    expect(body).not.toContain('id="~prompt"')
    expect((await site.visit('/prompt.md?pack=tls&budget=10', { cookie: pro })).statusCode).toBe(400)
  })

  it('says which values it does not understand', async () => {
    const body = await open('?pack=tls&scheme=zip&budget=many&tokenizer=none', pro)
    expect(body).toMatch(
      /A budget is a whole number[^]*There is no scheme “zip”[^]*There is no tokenizer “none”/,
    )
    expect(readPrompt(body)).toContain('quokka')
  })
})

describe('a question', () => {
  it('gives the passages within the budget, charged as a context, once', async () => {
    const cookie = await joinPro(site, 'asks@example.com', 2)
    const body = await open('?q=rotate+with+a+quokka&budget=5000', cookie)
    expect(readPrompt(body)).toContain('Rotate with a quokka.')
    expect(body).toContain('A question counts as 2 requests. You have 0 left today.')
    const file = await site.visit('/prompt.md?q=rotate+with+a+quokka&budget=5000&full=1', { cookie })
    expect(file.body).toBe(readPrompt(body))
    expect(body).toContain('/api/v1/context?q=rotate+with+a+quokka&amp;budget=5000')
  })

  it('is not charged if it is refused, nor asked of all packs if it names one that there is not', async () => {
    const cookie = await joinPro(site, 'careful@example.com', 1)
    for (const query of [
      'pack=tls&pack=nope',
      'pack=tls&scheme=zip',
      'q=quokka&pack=nope',
      'q=quokka&budget=1',
    ])
      expect((await site.visit(`/prompt.md?${query}`, { cookie })).statusCode).toBe(400)
    expect((await site.visit('/browse/tls/1.0.0/section?id=nope', { cookie })).statusCode).toBe(404)
    const body = await open('?q=quokka&pack=nope', cookie)
    expect(body).toContain('There is no pack “nope”.')
    expect(body).not.toContain('id="~prompt"')
    expect(await open('?pack=tls', cookie)).toContain('id="~prompt"')
  })

  it('is charged once, however often it is asked at the same time', async () => {
    const cookie = await joinPro(site, 'hurried@example.com', 3)
    const all = await Promise.all(
      Array.from({ length: 5 }, () => open('?q=rotate+a+quokka&budget=5000', cookie)),
    )
    for (const body of all) expect(body).toContain('You have 1 left today.')
  })

  it('never answers from beyond the previews to a visitor', async () => {
    expect(await open('?q=rotate+with+a+quokka')).not.toContain('with a quokka.')
    expect((await site.visit('/prompt.md?q=rotate+with+a+quokka')).body).not.toContain('with a quokka.')
  })
})

describe('the search for parts', () => {
  it('finds packs and sections, and adds them to what is chosen', async () => {
    const body = await open('?pack=dns&scheme=max-1&find=rotation')
    expect(body).toContain(
      'href="/prompt?pack=dns&amp;section=tls/rotation&amp;scheme=max-1&amp;find=rotation"',
    )
    expect(body).toContain('href="/prompt?pack=dns&amp;pack=tls&amp;scheme=max-1&amp;find=rotation"')
  })

  it('says that nothing matches', async () => {
    expect(await open('?find=xyzzyplugh')).toContain('Nothing matches.')
  })
})

describe('who may not see a whole pack', () => {
  const parameters = [
    '',
    '&scheme=as-built',
    '&scheme=max-1',
    '&scheme=none',
    '&tokenizer=cl100k_base',
    '&full=1',
    '&budget=99999',
    '&find=quokka',
  ]

  it.each(parameters)('gets the previews alone: %s', async (parameter) => {
    const free = await site.join('free@example.com').catch(() => '')
    const spent = await joinPro(site, 'spent@example.com', 0)
    for (const cookie of [undefined, free, spent]) {
      const visit = cookie ? { cookie } : {}
      const paths = [
        `/prompt?pack=tls&pack=hostile&section=hostile/rest${parameter}`,
        `/prompt.md?pack=tls&pack=hostile&section=hostile/rest${parameter}`,
        `/prompt?pack=hostile${parameter}`,
        `/browse/hostile/use?x=1${parameter}`,
        `/browse/tls/1.0.0/use?x=1${parameter}`,
      ]
      for (const path of paths) {
        const { body, headers } = await site.visit(path, visit)
        expect(body).not.toContain(HEADER_WORD)
        expect(body.replaceAll(/find(?:=|%3D)quokka|value="quokka"/g, '')).not.toContain(HIDDEN_WORD)
        expect(JSON.stringify(headers)).not.toContain(pack('tls').pack_digest)
      }
    }
  })

  it('gets tokens and tag of the preview, and is told how to get Pro', async () => {
    const content = decode(pack('tls').preview_content, pack('tls').rosetta)
    const { tokens, text } = composePrompt([{ content, rosetta: '[DECODE]', slug: 'tls' }], {
      scheme: 'dense-1',
    })
    const body = await open('?pack=tls')
    expect([readTokens(body), readPrompt(body)]).toEqual([tokens, text])
    expect(body).toContain('Ask the operator of this catalog for a Pro account.')
    const { headers } = await site.visit('/prompt.md?pack=tls')
    const again = await site.visit('/prompt.md?pack=tls', {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again.statusCode).toBe(304)
    expect((await site.visit('/prompt.md?pack=tls', { cookie: pro })).headers['etag']).not.toBe(
      headers['etag'],
    )
  })
})

it('shows hostile texts, terms and titles as text, and right-to-left terms isolated', async () => {
  const body = await open('?pack=hostile&pack=dns&scheme=as-built', pro)
  expect(body).not.toMatch(/<script>alert|<img src=x|\u202E/)
  const use = await site.visit('/browse/hostile/use', { cookie: pro })
  expect(use.body).not.toMatch(/<script>alert|<img src=x|\u202E/)
  expect(body).toContain('U+202E')
  expect(body).toContain('data-copy-url="/prompt.md?')
})

it('composes whole packs for all in recovery mode', async () => {
  await site.setMode('recovery')
  try {
    expect(readPrompt(await open('?pack=tls'))).toBe(composePrompt([pack('tls')]).text)
    expect(TLS).toContain('quokka')
  } finally {
    await site.setMode('online')
  }
})
