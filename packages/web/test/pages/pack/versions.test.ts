import type { NewVersion } from '@packs/catalog'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actor } from '../../../../catalog/test/test-actor.ts'
import { compareTexts } from '../../../src/documents/compare-versions.ts'
import { makePack } from '../../make-pack.ts'
import { startSite, type Site } from '../../start-site.ts'

const LINES = Array.from({ length: 40 }, (_, at) => `Line ${at} is public.\n`).join('')
const OLD = `# TLS\n\nThe opening is old.\n\n${LINES}\n## Gone\n\nOnly the oldreader knows secretold.\n`
const NEW = `# TLS\n\nThe opening is new.\n\n${LINES}\n## Arrived\n\nOnly the newreader knows secretnew CT.\n`
const rosetta = (expansion: string): string => `[DECODE] CT=${expansion}`

function makeNext(version: string, parent: string | null, content: string, expansion: string): NewVersion {
  const preview_content = content.slice(0, content.indexOf('Line 3'))
  const made = makePack({ slug: 'tls', version, content, preview_content, rosetta: rosetta(expansion) })
  return { ...made, parent }
}

let site: Site
let pro: string
beforeAll(async () => {
  site = await startSite()
  const { packs } = site.catalog
  await packs.commit([makeNext('1.0.0', null, OLD, 'hiddenterm')])
  await packs.commit([makeNext('1.1.0', '1.0.0', `${OLD}Withdrawn.\n`, 'hiddenterm')])
  await packs.yank('tls', '1.1.0', 'It <b>broke</b>', actor)
  await packs.commit([makeNext('1.2.0', '1.1.0', NEW, 'otherterm')])
  await packs.commit([makePack({ slug: 'withdrawn', content: 'Some words.\n' })])
  await packs.yank('withdrawn', '1.0.0', 'It was wrong', actor)
  pro = await site.join('pro@example.com')
  const change = { tier: 'pro', daily: 2, isUnverifiedAccepted: true, actor } as const
  await site.catalog.accounts.setTier('pro@example.com', change)
})
afterAll(() => site.close())

const SECRET = /secret(?:old|new)|oldreader|newreader|hiddenterm|otherterm|Withdrawn/

describe('the versions of a pack', () => {
  it('are listed with their reasons and why they were yanked, and cost nothing', async () => {
    const { statusCode, body } = await site.visit('/browse/tls/versions', { cookie: pro })
    expect(statusCode).toBe(200)
    expect([...body.matchAll(/<b>(\d\.\d\.\d)<\/b>/g)].map(([, version]) => version)).toEqual([
      '1.2.0',
      '1.1.0',
      '1.0.0',
    ])
    expect(body).toContain('It &lt;b&gt;broke&lt;/b&gt;')
    expect(body).toMatch(/href="\/browse\/tls\/1\.2\.0\/changes">\s*What changed since 1\.0\.0/)
    expect(body).toContain('Nothing came before it.')
    expect(body).not.toMatch(SECRET)
    expect((await site.visit('/settings', { cookie: pro })).body).toMatch(/<b>2<\/b> of 2/)
  })

  it('each have a page, which says that it is not the latest', async () => {
    const old = (await site.visit('/browse/tls/1.0.0')).body
    expect(old).toContain('This is version 1.0.0, not the latest one.')
    expect(old).toContain('<link rel="canonical" href="http://site.test/browse/tls" />')
    const yanked = (await site.visit('/browse/tls/1.1.0')).body
    expect(yanked).toContain('Version 1.1.0 was yanked: <bdi>It &lt;b&gt;broke&lt;/b&gt;</bdi>')
    expect((await site.visit('/browse/tls/9.9.9')).body).toContain('<code>unknown_version</code>')
  })

  it('are still listed if all of them were yanked', async () => {
    const missing = await site.visit('/browse/withdrawn')
    expect([missing.statusCode, missing.body.includes('href="/browse/withdrawn/versions"')]).toEqual([
      404,
      true,
    ])
    expect((await site.visit('/browse/withdrawn/versions')).body).toContain('It was wrong')
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
        expect([path, statusCode]).toEqual([path, 200])
        expect(body).not.toMatch(SECRET)
      }
    const { body } = await site.visit('/browse/tls/1.2.0/changes')
    expect(body).toMatch(/<del><span class="unseen">removed: <\/span>old<\/del>/)
    expect(body).toMatch(/<ins><span class="unseen">added: <\/span>new<\/ins>/)
  })

  it('is both texts and headers for Pro accounts, charged for two versions once a day', async () => {
    const visit = async (): Promise<string> =>
      (await site.visit('/browse/tls/1.2.0/changes', { cookie: pro })).body
    const body = await visit()
    for (const part of ['Arrived', 'Gone', 'secretnew', 'secretold', 'hiddenterm', 'otherterm'])
      expect(body).toContain(part)
    expect(body).toMatch(/… 4\d unchanged lines/)
    expect(await visit()).toBe(body)
    expect((await site.visit('/settings', { cookie: pro })).body).toMatch(/<b>0<\/b> of 2/)
    const spent = (await site.visit('/browse/tls/1.1.0/changes', { cookie: pro })).body
    expect(spent).toContain('This compares the previews')
    expect(spent).not.toMatch(SECRET)
  })

  it('is nothing for the first version', async () => {
    expect((await site.visit('/browse/tls/1.0.0/changes')).body).toContain(
      'Nothing came before version 1.0.0',
    )
  })
})

describe('compareTexts', () => {
  const join = (text: ReturnType<typeof compareTexts>, kind: 'added' | 'removed'): string =>
    text.parts
      .flatMap((part) => (part.kind === 'changed' ? part.runs : []))
      .flatMap((run) => (run.kind === kind ? run.text : []))
      .join('')

  it('compares words within lines, also in scripts without spaces', () => {
    expect(compareTexts('a\nb c\n', 'a\nb d\n').parts).toEqual([
      { kind: 'same', lines: 1, first: 'a\n', last: 'a\n' },
      {
        kind: 'changed',
        runs: [
          { kind: null, text: 'b ' },
          { kind: 'removed', text: 'c' },
          { kind: 'added', text: 'd' },
          { kind: null, text: '\n' },
        ],
      },
    ])
    expect(join(compareTexts('設定を変更\n', '設定を保存\n'), 'added')).toContain('保存')
  })

  it('shows a bounded part of what changed', () => {
    const lines = (name: string): string =>
      Array.from({ length: 5000 }, (_, at) => `same ${at}\n${name} ${at}\n`).join('')
    const { parts, isTruncated } = compareTexts(lines('old'), lines('new'))
    expect(isTruncated).toBe(true)
    expect(parts.length).toBeLessThanOrEqual(601)
    const whole = compareTexts('x'.repeat(2_000_000), 'y'.repeat(2_000_000))
    expect(whole).toEqual({ parts: [], isTruncated: true })
  })
})
