import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import { composePrompt } from '../../src/prompt/compose-prompt.ts'
import type { PromptDocument } from '../../src/prompt/types.ts'
import { decode, serializeRosetta } from '../../src/index.ts'
import { framePacks } from '../../src/frame-packs.ts'
import { o200kBase } from '../load-o200k-base.ts'
import type { Scheme } from '../../src/types.ts'
import { contents, headers } from '../arbitraries.ts'
import { nastyMarkdown } from '../compress/nasty-markdown.ts'
import { readSources } from './sample-documents.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

/** Sets to compose. */
const RUNS = countRuns(30)

const scheme = fc.constantFrom<Scheme>('none', 'minify-1', 'dense-2', 'max-2')
const title = fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }), { nil: undefined })
const rule = fc.record(
  {
    expansion: fc.constantFrom(
      'certificate',
      'certificate transparency',
      'the log',
      'kube-apiserver',
      ' log',
      '',
    ),
    term: fc.constantFrom('CT', 'ML', '§', 'x', '中', 'a b'),
    never: fc.boolean(),
  },
  { requiredKeys: ['expansion'] },
)
const built: fc.Arbitrary<PromptDocument> = fc
  .record({
    text: nastyMarkdown,
    scheme,
    title,
    glossary: fc.array(rule, { maxLength: 3 }),
    code: fc.boolean(),
  })
  .map(({ text, scheme: one, ...rest }) => {
    const { content, rosetta, scheme: compression } = compress(text, { scheme: one })
    return { ...rest, content, rosetta, compression }
  })
const written: fc.Arbitrary<PromptDocument> = fc
  .record({ content: contents, entries: headers, title })
  .map(({ entries, ...rest }) => ({ ...rest, rosetta: serializeRosetta({ entries }) }))
/** Pays as it is. */
const paying: fc.Arbitrary<PromptDocument> = fc.integer({ min: 10, max: 40 }).map((uses) => ({
  content: 'XQ\n'.repeat(uses),
  rosetta: '[DECODE] XQ=the transparency log of an organisation',
}))

test('random sets are exact and take no more tokens than their sources', () => {
  const chosen = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: built },
          { weight: 1, arbitrary: written },
          { weight: 1, arbitrary: paying },
        ),
        { maxLength: 5 },
      ),
      fc.option(scheme, { nil: undefined }),
      fc.boolean(),
      fc.constantFrom(undefined, { percent: 0, tokens: 0 }),
      (packs, option, twice, worthHeader) => {
        const set = twice ? [...packs, ...packs] : packs
        const prompt = composePrompt(set, { scheme: option, worthHeader })
        const sources = set.map(({ content, rosetta }) => decode(content, rosetta!))
        expect(readSources(prompt)).toEqual(sources)
        expect(prompt.tokens).toBe(o200kBase.countTokens(prompt.text))
        const isOwn = set.length === 1 && !set[0]!.title && !set[0]!.slug
        const framed = sources.length === 0 ? '' : isOwn ? sources[0]! : framePacks(set, sources, undefined)
        expect(prompt.plan.costs.texts).toBe(o200kBase.countTokens(framed))
        expect(prompt.tokens).toBeLessThanOrEqual(prompt.plan.costs.texts!)
        chosen.add(prompt.plan.chosen)
      },
    ),
    { numRuns: RUNS },
  )
  expect(chosen.size).toBe(2)
})
