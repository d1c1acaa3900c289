import { openDocument } from '@packs/catalog'
import { decode } from '@packs/codec'
import type { SourceDefaults } from '@packs/codec/pack'
import { readSource, verifyVersion, type PublishRequest } from '@packs/publisher'
import { describe, expect, it } from 'vitest'
import { actor } from '../../test-kit/test/make-version.ts'
import type { RunnerUnderTest } from './describe-runner.ts'

const wait = { wait: true }
const PHRASE = 'transport layer security'
const WORDS = ['Browsers', 'Servers', 'Mail clients', 'Proxies', 'Phones', 'Printers', 'Cameras', 'Cars']
// So often that a pack pays for the instruction of a prompt.
const TEXT = `# Intro\n\n${WORDS.map((word) => `${word} need ${PHRASE}.\n\n`)
  .join('')
  .repeat(8)}`
const TERM = { glossary: [{ expansion: PHRASE, term: 'TLS' }] }

function requestWith(given: SourceDefaults, text = TEXT, path = 'docs/guides/intro.md'): PublishRequest {
  return { ...readSource({ bytes: Buffer.from(text), path, defaults: given }), actor }
}

/** Tests the contract of `Runner` for values from outside of the source file; run it against each implementation. */
export function describeGivenValues(name: string, open: () => Promise<RunnerUnderTest>): void {
  describe(`${name}, with values from outside the source`, () => {
    it('publishes them, records them, and builds the same pack again', async () => {
      const { catalog, runner } = await open()
      const given: SourceDefaults = {
        slug: 'given-once',
        title: 'From outside',
        domain: 'Guides',
        minify: { dialect: ['hugo'], off: ['toc'] },
        url: 'https://example.com/given/',
        ...TERM,
      }
      const request = requestWith(given)
      expect(await runner.publish([request], wait)).toMatchObject([
        { slug: 'given-once', status: 'published', version: '1.0.0', reasons: ['it is the first version'] },
      ])
      expect(await runner.publish([requestWith(given)], wait)).toMatchObject([{ status: 'unchanged' }])
      const version = (await catalog.packs.latest('given-once'))!
      expect(version.assumed).toEqual(['subdomain', 'difficulty'])
      const pack = openDocument(version)
      expect(pack).toMatchObject({ title: 'From outside', domain: 'Guides', domain_slug: 'guides' })
      expect(pack.rosetta).toContain(`TLS=${PHRASE}`)
      expect(decode(pack.content, pack.rosetta)).toBe(TEXT)
      const provenance = (await catalog.packs.provenance('given-once', '1.0.0'))!
      const { glossary: _glossary, ...fields } = given
      expect(provenance.given).toEqual({ ...fields, tables: expect.stringMatching(/^[0-9a-f]{64}$/) })
      const tables = await catalog.sources.get(provenance.given!.tables!)
      expect(JSON.parse(Buffer.from(tables!).toString())).toEqual(TERM)
      expect(provenance.sourceDigest).toBe(request.sourceDigest)
      expect(await verifyVersion(catalog, 'given-once', '1.0.0')).toMatchObject({ ok: true })
    })

    it('reads the front matter through a map of its keys, and again when it is verified', async () => {
      const { catalog, runner } = await open()
      const text = '---\nname: From a key\nweight: 3\nlayout: page\n---\n# Intro\n\nText.\n'
      const frontMatterMap = { title: 'name', weight: false } as const
      await runner.publish([requestWith({ slug: 'given-map', frontMatterMap }, text)], wait)
      const pack = openDocument((await catalog.packs.latest('given-map'))!)
      expect(pack).toMatchObject({ title: 'From a key', metadata: { layout: 'page' } })
      const { given } = (await catalog.packs.provenance('given-map', '1.0.0'))!
      expect(given).toEqual({ slug: 'given-map', tables: expect.any(String) })
      expect(await verifyVersion(catalog, 'given-map', '1.0.0')).toMatchObject({ ok: true })
    })

    it('records nothing if the front matter overrides them', async () => {
      const { catalog, runner } = await open()
      const text = '---\nslug: given-nothing\n---\n# Intro\n\nText.\n'
      await runner.publish([requestWith({ slug: 'guides-intro' }, text)], wait)
      expect(await catalog.packs.provenance('given-nothing', '1.0.0')).not.toHaveProperty('given')
      expect(await runner.publish([requestWith({}, text)], wait)).toMatchObject([{ status: 'unchanged' }])
    })

    it('publishes one file under the slugs of two folders, even in a release', async () => {
      const { catalog, runner } = await open()
      const both = ['given-a-intro', 'given-b-intro'].map((slug) => requestWith({ slug }))
      expect(await runner.release('given folders', both, wait)).toMatchObject([
        { slug: 'given-a-intro', status: 'published', version: '1.0.0' },
        { slug: 'given-b-intro', status: 'published', version: '1.0.0' },
      ])
      for (const slug of ['given-a-intro', 'given-b-intro']) {
        expect((await catalog.packs.provenance(slug, '1.0.0'))?.given).toEqual({ slug })
        const { assumed } = (await catalog.packs.find(slug))!
        expect(assumed).toEqual(['title', 'domain', 'subdomain', 'difficulty'])
        expect(await verifyVersion(catalog, slug, '1.0.0')).toMatchObject({ ok: true })
      }
    })

    it('counts another value as if it were in the file', async () => {
      const { runner } = await open()
      const publish = async (given: SourceDefaults, text = TEXT): Promise<unknown> => {
        const [result] = await runner.publish([requestWith({ slug: 'given-next', ...given }, text)], wait)
        return [result!.version, ...result!.reasons]
      }
      await publish({ domain: 'One' })
      expect(await publish({ domain: 'Two' })).toEqual([
        '1.0.1',
        'patch: domain changed',
        'patch: domain_slug changed',
      ])
      expect(await publish({ domain: 'Two', ...TERM })).toEqual([
        '1.1.0',
        'minor: the glossary term "TLS" was added',
      ])
      // The parent is read with its own values: its glossary is not new.
      const patch = 'patch: the structure is the same, text or link targets changed'
      const other = TEXT.replace('Cars', 'Trains')
      expect(await publish({ domain: 'Two', ...TERM }, other)).toEqual(['1.1.1', patch])
      expect(await publish({ domain: 'Two' }, other)).toEqual([
        '2.0.0',
        'major: the glossary term "TLS" was removed or changed',
      ])
      expect(await publish({ domain: 'Two', title: 'Intro' }, other)).toEqual([
        '2.0.1',
        'patch: only values from outside of the source changed, and they have no effect',
      ])
    })

    it('records the path of the last publish, and keeps the values', async () => {
      const { catalog, runner } = await open()
      const given = { slug: 'given-moved', ...TERM }
      await runner.publish([requestWith(given)], wait)
      const moved = requestWith(given, TEXT, 'handbook/start.md')
      const rebuilt = { ...moved, rebuild: true }
      expect(await runner.publish([rebuilt], wait)).toMatchObject([{ status: 'published', version: '1.0.1' }])
      const [first, second] = await Promise.all(
        ['1.0.0', '1.0.1'].map((version) => catalog.packs.provenance('given-moved', version)),
      )
      expect([first!.path, second!.path]).toEqual(['docs/guides/intro.md', 'handbook/start.md'])
      expect(second!.given).toEqual(first!.given)
    })

    it('decides the number again with the values of both sources when two publishes meet', async () => {
      const { catalog, runner } = await open()
      const texts = ['one', 'two', 'three'].map((word) => `${TEXT}${word}\n`)
      const requests = texts.map((text) => requestWith({ slug: 'given-race', ...TERM }, text))
      const all = await Promise.all(requests.map((request) => runner.publish([request], wait)))
      expect(all.flat().map(({ status }) => status)).toEqual(['published', 'published', 'published'])
      const lines = await catalog.packs.versions('given-race')
      expect(lines.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
    })
  })
}
