import type { NewVersion } from '@packs/catalog'
import { loadTokenizer } from '@packs/codec/compress'
import { restore } from '@packs/codec'
import { buildPack, parseSource } from '@packs/codec/pack'
import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { actor } from '../../../../test-kit/test/make-version.ts'
import { specimen } from '../../../src/pages/home-page.ts'
import { makePack } from '../../make-pack.ts'
import { startSite, type Site } from '../../start-site.ts'

let site: Site | undefined
afterEach(async () => {
  await site?.close()
  site = undefined
})

const numbers = (body: string): string[] =>
  [...body.matchAll(/<dd>([\d,]+(?:\.\d %)?)<\/dd>/g)].map(([, number]) => number!)

it('shows a paragraph and figures as the compressor makes them', async () => {
  const path = new URL(`../../../../../examples/packs/${specimen.slug}.md`, import.meta.url)
  const { source } = parseSource(readFileSync(path, 'utf8'), { path: `${specimen.slug}.md` })
  const { pack } = await buildPack(source!, { scheme: 'minify-1' })
  const { pack: dense } = await buildPack(source!, { scheme: 'dense-2' })
  const tokenizer = await loadTokenizer('o200k_base')
  expect(pack!.content.split('\n\n')).toContain(specimen.content)
  expect(restore(pack!).split('\n\n')).toContain(specimen.source)
  expect(tokenizer.countTokens(specimen.source)).toBe(specimen.tokens.source)
  expect(tokenizer.countTokens(specimen.content)).toBe(specimen.tokens.content)
  const [lean, denser] = [pack!, dense!].map((built) => built.token_count + built.rosetta_tokens)
  expect({ source: pack!.uncompressed_estimate, lean, dense: denser }).toEqual(specimen.whole)
})

it('counts the packs of the catalog as they change', async () => {
  const make = (slug: string, saved: number): NewVersion => makePack({ slug, content: 'a', saved })
  site = await startSite([make('a', 80), make('b', 70), make('c', 50)])
  expect(numbers((await site.visit('/')).body)).toEqual(['3', '70.0 %', '80.0 %'])
  await site.catalog.packs.yank('a', '1.0.0', 'wrong', actor)
  await site.catalog.packs.commit([make('d', -110)])
  expect(numbers((await site.visit('/')).body)).toEqual(['3', '50.0 %', '70.0 %'])
  await site.close()
  site = await startSite()
  const { body } = await site.visit('/')
  expect([numbers(body), body.includes('This catalog has no packs yet.')]).toEqual([[], true])
})

it('has one search, a call that names a pack of this catalog, and leads to what there is', async () => {
  const offer = 'Read the beginning of every pack free'
  site = await startSite([makePack({ slug: 'a', title: "Ann's \\ guide", content: 'a', tokens: 100 })])
  const { body } = await site.visit('/')
  expect(body.match(/type="search"/g)).toHaveLength(1)
  expect(body).toContain('docs.context(&quot;Ann&#39;s guide&quot;, { budget: 2000 })')
  for (const path of ['/browse', '/try', '/docs', '/settings/sign-up'])
    expect(body).toContain(`href="${path}"`)
  expect(body).toContain('<link rel="canonical" href="http://site.test/"')
  expect(body).toContain(offer)
  await site.setMode('recovery')
  expect((await site.visit('/')).body).not.toContain(offer)
})
