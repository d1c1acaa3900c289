import { restore } from '@packs/codec'
import { composePrompt, loadTokenizer } from '@packs/codec/compress'
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
  [...body.matchAll(/<dd>([\d,]+(?: %)?)<\/dd>/g)].map(([, number]) => number!)

it('shows a paragraph and figures as the compressor makes them', async () => {
  const path = new URL(`../../../../../examples/packs/${specimen.slug}.md`, import.meta.url)
  const { source } = parseSource(readFileSync(path, 'utf8'), { path: `${specimen.slug}.md` })
  const { pack } = await buildPack(source!, { scheme: 'minify-1' })
  const tokenizer = await loadTokenizer('o200k_base')
  expect(pack!.content.split('\n\n')).toContain(specimen.content)
  expect(restore(pack!).split('\n\n')).toContain(specimen.source)
  for (const [number, address] of Object.entries(specimen.links))
    expect(pack!.links![Number(number) - 1]).toBe(address)
  expect(tokenizer.countTokens(specimen.source)).toBe(specimen.tokens.source)
  expect(tokenizer.countTokens(specimen.content)).toBe(specimen.tokens.content)
  const prompt = (await composePrompt([pack!])).tokens
  expect({ source: pack!.uncompressed_estimate, prompt }).toEqual(specimen.whole)
})

it('counts the packs of the catalog as they change', async () => {
  // Each states 1,000 tokens as source, and costs about as many as its content has words, and 20.
  const versions = ['a', 'b', 'c'].map((slug, at) =>
    makePack({ slug, content: ' word'.repeat(100 * (at + 1) - 20), rosetta: '[DECODE] x=y' }),
  )
  site = await startSite(versions)
  expect(numbers((await site.visit('/')).body)).toEqual(['3', '3', '80 %'])
  await site.catalog.packs.yank('b', '1.0.0', 'wrong', actor)
  await site.catalog.packs.commit([makePack({ slug: 'd', content: ' word'.repeat(2000) })])
  expect(numbers((await site.visit('/')).body)).toEqual(['3', '2', '90 %'])
  await site.catalog.packs.undoYank('b', '1.0.0', actor)
  expect(numbers((await site.visit('/')).body)).toEqual(['4', '3', '80 %'])
})

it('shows no savings while a large catalog is counted, and says what an empty one has', async () => {
  site = await startSite(Array.from({ length: 501 }, (_, at) => makePack({ slug: `p-${at}`, content: 'a' })))
  expect(numbers((await site.visit('/')).body)).toEqual(['501'])
  expect(numbers((await site.visit('/')).body).slice(0, 2)).toEqual(['501', '501'])
  await site.close()
  site = await startSite()
  expect(numbers((await site.visit('/')).body)).toEqual(['0', '0', '0 %'])
})

it('has one search, and leads to what there is', async () => {
  site = await startSite()
  const { body } = await site.visit('/')
  expect(body.match(/type="search"/g)).toHaveLength(1)
  for (const path of ['/browse', '/prompt', '/try', '/docs']) expect(body).toContain(`href="${path}"`)
  expect(body).toContain('<link rel="canonical" href="http://site.test/"')
})
