import type { Evaluation } from '@packs/catalog'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEvaluation } from '../../../../catalog/test/make-evaluation.ts'
import { actor } from '../../../../catalog/test/test-actor.ts'
import { makePack } from '../../make-pack.ts'
import { startSite, type Site } from '../../start-site.ts'

const rosetta = '[DECODE] CT=certificate transparency'
let site: Site

beforeAll(async () => {
  const slugs = ['good', 'below', 'worse', 'few', 'hostile', 'none']
  site = await startSite(slugs.map((slug) => makePack({ slug, content: '# A\n\nA CT log.\n', rosetta })))
})
afterAll(() => site.close())

/** Attaches an evaluation, and returns the text of the section about it. */
async function show(slug: string, sketch: Partial<Evaluation>): Promise<string> {
  await site.catalog.evaluations.add(slug, '1.0.0', makeEvaluation(sketch), actor)
  const { body } = await site.visit(`/browse/${slug}`)
  return readSection(body)!
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
}

function readSection(body: string): string | undefined {
  return /<section [^>]*aria-labelledby="~evaluations">[^]*?<\/section>/.exec(body)?.[0]
}

it('a pack shows what its publisher reports, in one sentence', async () => {
  const text = await show('good', {})
  expect(text).toContain('Read by models, as reported by the publisher')
  expect(text).toContain(
    'gpt-5-mini, scheme glossary-1, 2026-11-28: as good as the source within 5 points (difference −0.4 points, 95 % interval −2.1 to 1.2, 240 questions over 12 documents)',
  )
  expect(text).toContain('This catalog has not verified the figures.')
})

it.each<[string, string, Partial<Evaluation>]>([
  [
    'below',
    'as good as the source within 2.5 points, but measurably below it (difference −1.0 points',
    { difference: -0.01, interval: [-0.02, -0.001], margin: 2.5 },
  ],
  [
    'worse',
    'worse than the source (difference −20.0 points, 95 % interval −30.0 to −10.0,',
    { verdict: 'worse', difference: -0.2, interval: [-0.3, -0.1] },
  ],
  [
    'few',
    'too few questions for a verdict (difference 0.0 points, 95 % interval −10.0 to 10.0, 1 question over 1 document)',
    {
      verdict: 'too few questions',
      difference: -0.0001,
      interval: [-0.1, 0.1],
      questions: 1,
      documents: 1,
    },
  ],
])('says plainly of %s: %s', async (slug, expected, sketch) => {
  expect(await show(slug, sketch)).toContain(expected)
})

it('escapes the name of a model', async () => {
  const model = '<script>alert(1)</script>" onload=x'
  await site.catalog.evaluations.add('hostile', '1.0.0', makeEvaluation({ model }), actor)
  const { body } = await site.visit('/browse/hostile')
  expect(body).not.toContain('<script>alert')
  expect(readSection(body)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

it('says nothing about a pack without evaluations', async () => {
  expect(readSection((await site.visit('/browse/none')).body)).toBeUndefined()
})
