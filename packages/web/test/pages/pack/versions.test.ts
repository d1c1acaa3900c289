import type { NewVersion } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { changeDatabase } from '../../../../test-kit/test/change-database.ts'
import { actor } from '../../../../test-kit/test/make-version.ts'
import { alignEnds, compareTexts } from '../../../src/documents/compare-versions.ts'
import { makePack } from '../../make-pack.ts'
import { startSite } from '../../start-site.ts'

const LINES = Array.from({ length: 40 }, (_, at) => `Line ${at} is public.\n`).join('')
const OLD = `# TLS\n\nThe opening is old.\n\n${LINES}\n## Gone\n\nOnly the oldreader knows secretold.\n`
const NEW = `# TLS\n\nThe opening is new.\n\n${LINES}\n## Arrived\n\nOnly the newreader knows secretnew CT.\n`
const rosetta = (expansion: string): string => `[DECODE] CT=${expansion}`

function makeNext(version: string, parent: string | null, content: string, expansion: string): NewVersion {
  const preview_content = content.slice(0, content.indexOf('Line 3'))
  const made = makePack({ slug: 'tls', version, content, preview_content, rosetta: rosetta(expansion) })
  return { ...made, parent }
}

const site = await startSite()
const { packs } = site.catalog
await packs.commit([makeNext('1.0.0', null, OLD, 'hiddenterm')])
await packs.commit([makeNext('1.1.0', '1.0.0', `${OLD}Withdrawn.\n`, 'hiddenterm')])
await packs.yank('tls', '1.1.0', 'It <b>broke</b>', actor)
const next = makeNext('1.2.0', '1.1.0', NEW, 'otherterm')
const reasons = [
  'major: the glossary term "secretold \\" was added" has another meaning',
  'minor: the heading "Arrived" was added',
  'minor: 1 heading of level 2 was added',
  'minor: 2 headings of level 3 were removed',
]
await packs.commit([{ ...next, provenance: { ...next.provenance, reasons } }])
await packs.commit([makePack({ slug: 'withdrawn', content: 'Some words.\n' })])
await packs.yank('withdrawn', '1.0.0', 'It was wrong', actor)
const pro = await site.joinPro('pro@example.com', 2)

const SECRET = /secret(?:old|new)|oldreader|newreader|hiddenterm|otherterm|Withdrawn/

describe('the versions of a pack', () => {
  it('are listed with their reasons and why they were yanked, and cost nothing', async () => {
    const { statusCode, body } = await site.visit('/browse/tls/versions', { cookie: pro })
    expect(statusCode).toBe(200)
    const numbers = [...body.matchAll(/<h3>\s*<a href="\/browse\/tls\/([\d.]+)"/g)].map(
      ([, number]) => number,
    )
    expect(numbers).toEqual(['1.2.0', '1.1.0', '1.0.0'])
    expect(body).toContain('It &lt;b&gt;broke&lt;/b&gt;')
    expect(body).toMatch(/href="\/browse\/tls\/1\.2\.0\/changes">\s*What changed since 1\.0\.0/)
    expect(body).toMatch(/<b>minor<\/b>: the heading &quot;Arrived&quot; was added/)
    // The heading is named.
    expect(body).not.toContain('1 heading of level 2')
    expect(body).toContain('2 headings of level 3 were removed')
    expect(body).toMatch(/<b>major<\/b>: a glossary term has another meaning/)
    expect(body).not.toContain('1.0.0/changes')
    expect(body).toContain('pack diff tls@1.0.0 tls@1.2.0')
    expect(body).not.toMatch(SECRET)
    expect((await site.visit('/settings', { cookie: pro })).body).toMatch(/<b>2<\/b> of 2/)
  })

  it('each have a page, which says that it is not the latest', async () => {
    const old = (await site.visit('/browse/tls/1.0.0')).body
    expect(old).toContain('This is version 1.0.0, not the latest one.')
    expect(old).toContain('<link rel="canonical" href="http://site.test/browse/tls" />')
    const yanked = (await site.visit('/browse/tls/1.1.0')).body
    expect(yanked).toContain('Version 1.1.0 was yanked: <bdi>It &lt;b&gt;broke&lt;/b&gt;</bdi>')
    expect((await site.visit('/browse/tls/9.9.9')).body).toContain('data-code="unknown_version"')
  })

  it('are still listed if all of them were yanked', async () => {
    const missing = await site.visit('/browse/withdrawn')
    expect(missing.statusCode).toBe(404)
    expect(missing.body).toContain('href="/browse/withdrawn/versions"')
    const { body } = await site.visit('/browse/withdrawn/versions')
    expect(body).toContain('It was wrong')
    for (const path of ['', '/use']) {
      expect(body).toContain(`href="/browse/withdrawn/1.0.0${path}"`)
      expect((await site.visit(`/browse/withdrawn/1.0.0${path}`)).statusCode).toBe(200)
    }
  })

  it('are listed without the reasons of one whose provenance is damaged', async () => {
    await site.catalog.packs.commit([makePack({ slug: 'hurt', content: 'Some words.\n' })])
    changeDatabase(
      site.catalog.database.url()!,
      `update versions set provenance = 'garbage' where pack = (select number from packs where slug = 'hurt')`,
    )
    const { statusCode, body } = await site.visit('/browse/hurt/versions')
    expect([statusCode, /number cannot be read\./.test(body), /pack diff/.test(body)]).toEqual([
      200,
      true,
      false,
    ])
  })

  it('tell that there are more than the page shows', async () => {
    for (let at = 0; at <= 50; at++) {
      const version = `1.${at}.0`
      const parent = at === 0 ? null : `1.${at - 1}.0`
      const content = `Number ${at}.\n`
      await site.catalog.packs.commit([
        { ...makePack({ slug: 'many', version, content, rosetta: rosetta('number') }), parent },
      ])
    }
    const { body } = await site.visit('/browse/many/versions')
    expect(body).toContain('<h2 id="~versions">51 versions</h2>')
    expect(body.match(/What changed since/g)).toHaveLength(50)
    expect(body).toContain('These are the newest 50.')
  })
})

describe('what changed', () => {
  it('is the previews for visitors and Free accounts, and never a word beyond them', async () => {
    const free = await site.join('free@example.com')
    for (const cookie of [undefined, free, undefined])
      for (const path of ['1.2.0/changes', '1.1.0/changes', '1.0.0/changes', '1.2.0', 'versions']) {
        const { statusCode, body } = await site.visit(
          `/browse/tls/${path}`,
          cookie === undefined ? {} : { cookie },
        )
        expect([path, statusCode]).toEqual([path, path === '1.0.0/changes' ? 303 : 200])
        expect(body).not.toMatch(SECRET)
      }
    const { body } = await site.visit('/browse/tls/1.2.0/changes')
    expect(body).toMatch(/<del><span class="unseen" dir="ltr">removed: <\/span>old<\/del>/)
    expect(body).toMatch(/<ins><span class="unseen" dir="ltr">added: <\/span>new<\/ins>/)
  })

  it('is both texts for Pro accounts, charged for two versions once a day', async () => {
    const visit = async (): Promise<string> =>
      (await site.visit('/browse/tls/1.2.0/changes', { cookie: pro })).body
    const body = await visit()
    for (const part of ['Arrived', 'Gone', 'secretnew', 'secretold']) expect(body).toContain(part)
    expect(body).toContain('… 38 unchanged lines')
    expect(body).toMatch(/<p>2 passages changed, 1 passage added[^<]*\.<\/p>/)
    expect(await visit()).toBe(body)
    expect((await site.visit('/settings', { cookie: pro })).body).toMatch(/<b>0<\/b> of 2/)
    const spent = (await site.visit('/browse/tls/1.1.0/changes', { cookie: pro })).body
    expect(spent).toContain('This compares only the previews.')
    expect(spent).not.toMatch(SECRET)
  })

  it('is no more for others after an account with full access has seen it', async () => {
    const free = await site.join('later@example.com')
    const poor = await site.joinPro('poor@example.com', 1)
    const spent = await site.visit('/browse/tls/1.2.0/changes', { cookie: poor })
    expect(spent.body).toContain('your account has 1 left today')
    const others = await Promise.all(
      [undefined, free].map((cookie) =>
        site.visit('/browse/tls/1.2.0/changes', cookie === undefined ? {} : { cookie }),
      ),
    )
    expect(others[0]!.body).toContain('/settings?return=%2Fbrowse%2Ftls%2F1.2.0%2Fchanges')
    expect(others[1]!.body).toContain('Pro accounts get the whole pack')
    for (const { body } of [spent, ...others]) expect(body).not.toMatch(SECRET)
    // Nothing was charged, so one version can still be read.
    expect((await site.visit('/browse/tls/1.2.0', { cookie: poor })).body).toContain('secretnew')
  })

  it('names headings to all only as far as a contents list does', async () => {
    const list = (last: string): string =>
      [...Array.from({ length: 600 }, (_, at) => `Part ${at}`), last]
        .map((name) => `# ${name}\n\nWords.\n`)
        .join('\n')
    const sketch = { slug: 'parts', preview_content: '# Part 0\n' }
    await site.catalog.packs.commit([makePack({ ...sketch, content: list('Hiddenold') })])
    const next = makePack({ ...sketch, version: '2.0.0', content: list('Hiddennew') })
    await site.catalog.packs.commit([{ ...next, parent: '1.0.0' }])
    const { body } = await site.visit('/browse/parts/2.0.0/changes')
    expect(body).toContain('Both previews are the same, as far as both go.')
    expect(body).not.toMatch(/Hidden/)
  })

  it('keeps each line in its own direction, and shows controls by their code points', async () => {
    const texts = ['שלום עולם טוב\n\nport 80\n', 'שלום חברים טוב\n\nport \u202E443 מאה\n\nשורה חדשה\n']
    const [old, fresh] = texts.map((content, at) =>
      makePack({ slug: 'hebrew', version: `${at + 1}.0.0`, content, preview_content: content }),
    )
    await site.catalog.packs.commit([old!])
    await site.catalog.packs.commit([{ ...fresh!, parent: '1.0.0' }])
    const { body } = await site.visit('/browse/hebrew/2.0.0/changes')
    const lines = [...body.matchAll(/<div class="diff-\w+" dir="auto"[^>]*>([^]*?)<\/div>/g)].map(
      ([, line]) => line,
    )
    expect(lines.length).toBeGreaterThan(1)
    expect(body).toContain('[U+202E]')
    expect(body).not.toContain('\u202E')
    // Elements with a direction of their own have no say in that of the line.
    expect(lines.join('').replace(/<span class="unseen" dir="ltr">[^<]*<\/span>/g, '')).not.toMatch(
      /added|removed/,
    )
  })

  it('is a page of bounded size, which says how to see the rest', async () => {
    const list = (word: string): string =>
      Array.from({ length: 8000 }, (_, at) => `${word} <${at}> & "more"\n\n`).join('')
    const sketch = (version: string, content: string): NewVersion =>
      makePack({ slug: 'long', version, content, preview_content: content })
    await site.catalog.packs.commit([sketch('1.0.0', list('old'))])
    await site.catalog.packs.commit([{ ...sketch('1.0.1', list('new')), parent: '1.0.0' }])
    const { body } = await site.visit('/browse/long/1.0.1/changes')
    expect(body).toContain('<code>pack diff long@1.0.0 long@1.0.1</code> shows all of it.')
    expect(body.length).toBeLessThan(300_000)
  })

  it('is nothing for the first version', async () => {
    const { headers } = await site.visit('/browse/tls/1.0.0/changes')
    expect(headers['location']).toBe('/browse/tls/versions')
  })
})

describe('compareTexts', () => {
  it('marks words of lines that both have, with the lines around them', () => {
    expect(compareTexts('a\nb c d\ne\n', 'a\nb c f\ne\n')).toEqual({
      hunks: [
        {
          skipped: 0,
          section: undefined,
          pieces: [
            [{ kind: null, text: 'a\n' }],
            [
              { kind: null, text: 'b c ' },
              { kind: 'removed', text: 'd' },
              { kind: 'added', text: 'f' },
              { kind: null, text: '\n' },
            ],
            [{ kind: null, text: 'e\n' }],
          ],
        },
      ],
      rest: 0,
      isTruncated: false,
    })
  })

  it('shows lines as a whole if they have little in common', () => {
    const { hunks } = compareTexts('one two three\n', 'four five six\n')
    expect(hunks[0]!.pieces).toEqual([
      [{ kind: 'removed', text: 'one two three\n' }],
      [{ kind: 'added', text: 'four five six\n' }],
    ])
  })

  it('compares words of scripts without spaces', () => {
    const { hunks } = compareTexts('設定を変更します\n', '設定を保存します\n')
    expect(hunks[0]!.pieces[0]).toContainEqual({ kind: 'added', text: '保存' })
  })

  it('counts the unchanged lines that it omits, and names the section of a passage', () => {
    const lines = (count: number): string => 'same\n'.repeat(count)
    const before = `# A\n${lines(20)}old\n${lines(3)}old\n# B\n${lines(20)}`
    const after = `# A\n${lines(20)}new\n${lines(3)}new\n# B\n${lines(20)}gained\n`
    const sections = ['A', 'B'].map((title) => ({ id: title, title, start: after.indexOf(`# ${title}`) }))
    const { hunks, rest } = compareTexts(before, `${after}${lines(9)}`, sections)
    expect(hunks.map(({ skipped, section }) => [skipped, section?.title])).toEqual([
      [19, 'A'],
      [17, 'B'],
    ])
    expect(rest).toBe(0)
    expect(compareTexts(after, after.replace('# A', '# C')).rest).toBe(after.split('\n').length - 1 - 3)
    // The end of A is gone, where B now begins.
    const shorter = after.replace(`${lines(3)}new\n`, '')
    const moved = sections.map((section) => ({ ...section, start: shorter.indexOf(`# ${section.title}`) }))
    expect(compareTexts(after, shorter, moved).hunks[0]!.section?.title).toBe('A')
  })

  it('shows a bounded part of what changed, also of texts without a common line', () => {
    const lines = (name: string): string =>
      Array.from({ length: 5000 }, (_, at) => `${'same\n'.repeat(9)}${name} ${at}\n`).join('')
    const many = compareTexts(lines('old'), lines('new'))
    expect(many.isTruncated).toBe(true)
    const long = compareTexts(`a\n${'x'.repeat(2_000_000)}`, `a\n${'y'.repeat(2_000_000)}`)
    expect([long.isTruncated, long.hunks.length]).toEqual([true, 1])
    for (const { hunks } of [many, long]) {
      const runs = hunks.flatMap(({ pieces }) => pieces.flat())
      expect(hunks.length).toBeLessThanOrEqual(300)
      expect(runs.reduce((sum, { kind, text }) => sum + (kind === null ? 0 : text.length), 0)).toBeLessThan(
        100_001,
      )
      expect(runs.some(({ kind }) => kind === 'removed')).toBe(true)
    }
  })

  it('ends two previews where both end', () => {
    expect(alignEnds('a\nb\n\nold end\n', 'A\nb\n')).toEqual(['a\nb\n', 'A\nb\n'])
    expect(alignEnds('a\n', 'b\n')).toEqual(['a\n', 'b\n'])
  })

  it('does not cut a character', () => {
    const { hunks } = compareTexts(
      `${'😀'.repeat(400)}a\n`.repeat(2) + 'b\n',
      `${'😀'.repeat(400)}a\n`.repeat(2) + 'c\n',
    )
    expect(hunks[0]!.pieces.flat().every(({ text }) => text.isWellFormed())).toBe(true)
  })
})

it('says of a purged version when and why, in the list and on its page, and is in no file any more', async () => {
  const own = await startSite()
  const { packs: store } = own.catalog
  await store.commit([makePack({ slug: 'leak', content: 'The first text.\n' })])
  const second = makePack({ slug: 'leak', version: '1.1.0', content: 'The leaktext.\n' })
  await store.commit([{ ...second, parent: '1.0.0' }])
  for (const path of ['/browse/leak', '/browse/leak/1.1.0', '/llms.txt', '/sitemap.xml', '/feed.xml'])
    expect((await own.visit(path)).statusCode).toBe(200)
  await store.purge({ slug: 'leak', versions: ['1.1.0'], reason: 'a <b>key</b>', actor })
  expect((await own.visit('/browse/leak')).body).toContain('The first text.')
  const list = (await own.visit('/browse/leak/versions')).body
  expect(list).toMatch(/1\.1\.0 <span class="chip chip-bad">purged<\/span>/)
  expect(list).toContain('<bdi>a &lt;b&gt;key&lt;/b&gt;</bdi>')
  expect(list).not.toContain('its figures are damaged')
  for (const path of ['1.1.0', '1.1.0/use', '1.1.0/changes', '1.1.0.md']) {
    const { statusCode, body } = await own.visit(`/browse/leak/${path}`)
    expect([path, statusCode]).toEqual([path, 410])
    expect(body).toContain('data-code="purged_version"')
    expect(body).toMatch(/Version 1\.1\.0 of leak was purged on .*The reason: a &lt;b&gt;key/s)
    expect(body).not.toContain('leaktext')
  }
  await store.purge({ slug: 'leak', reason: 'all of it', actor })
  expect((await own.visit('/prompt?pack=leak')).body).toContain('The pack leak was purged.')
  for (const path of ['', '/versions', '/use'])
    expect(await own.visit(`/browse/leak${path}`)).toMatchObject({
      statusCode: 410,
      body: expect.stringContaining('The pack leak was purged on') as string,
    })
  for (const path of ['/llms.txt', '/sitemap.xml', '/feed.xml'])
    expect((await own.visit(path)).body).not.toContain('/browse/leak')
})
