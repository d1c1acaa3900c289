import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Context, describePack, isFullTerm, listKeyTerms, listPhrases } from '@packs/search'
import { splitSections } from '@packs/codec/internal'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { drawQuery, drawTwins, otherPacks, type Twins, writePage } from './locked-packs.ts'
import { createComposer, createSearch, type TestPack } from './make-store.ts'

it('no query of a reader of the preview tells the order of locked words', async () => {
  await fc.assert(
    fc.asyncProperty(
      drawTwins.chain((twins) =>
        fc.tuple(fc.constant(twins), fc.array(drawQuery(twins), { minLength: 40, maxLength: 40 })),
      ),
      async ([{ first, second }, queries]) => {
        const [one, two] = [first, second].map((pack) => createSearch([pack, ...otherPacks]))
        for (const text of queries) {
          const [a, b] = [await one!(text), await two!(text)]
          expect([text, writePage(a)]).toEqual([text, writePage(b)])
        }
      },
    ),
    { numRuns: countRuns(60) },
  )
})

const drawAsked = fc.record({
  budget: fc.integer({ min: 1, max: 3000 }),
  packs: fc.constantFrom(undefined, ['guide'], ['guide', 'other'], ['other', 'pk_0', 'pk_0']),
  domain: fc.constantFrom(undefined, 'tests', 'none'),
})
const drawJoiner = fc.constantFrom(' ', ' and ', '? ', '; ', ', and also ', '以及')

it('no passages for a reader of the preview tell the order of locked words, or have them', async () => {
  const drawQuestion = (twins: Twins): fc.Arbitrary<string> =>
    fc
      .array(fc.tuple(drawQuery(twins), drawJoiner), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join(''))
      .filter((text) => Array.from(text).length <= 400 && listPhrases(text).length <= 4)
  await fc.assert(
    fc.asyncProperty(
      drawTwins.chain((twins) =>
        fc.tuple(
          fc.constant(twins),
          fc.array(fc.tuple(drawQuestion(twins), drawAsked), { minLength: 20, maxLength: 20 }),
        ),
      ),
      async ([{ first, second }, questions]) => {
        const seen = first.body.slice(0, first.visible)
        const known = [seen, ...otherPacks.map(({ title, body }) => `${title}\n${body}`)]
          .join('\n')
          .toLowerCase()
        const [one, two] = [first, second].map((pack) => createComposer([pack, ...otherPacks]))
        for (const [text, asked] of questions) {
          const [a, b] = [await one!(text, asked), await two!(text, asked)]
          expect([text, asked, tellAll(a)]).toEqual([text, asked, tellAll(b)])
          const replaced = Array.from(
            a.text.matchAll(/^(?:Searched for|The documents have) "([^"]+)"/gm),
            ([, to]) => to!,
          )
          const own = a.passages.flatMap((passage) => passage.text.split(/\n|\[…\]|›/))
          for (const line of [...own, ...replaced]) expect(known).toContain(line.trim().toLowerCase())
        }
      },
    ),
    { numRuns: countRuns(40) },
  )
})

/** Lists all that a context tells, except the tokens of a locked section, which its outline has. */
function tellAll({ passages, omitted, ...rest }: Context): unknown {
  return [
    rest,
    passages.map(({ pack, sections, ...numbers }) => [pack.slug, sections.map(({ id }) => id), numbers]),
    omitted.map(({ pack, section, reason }) => [pack.slug, section.id, reason]),
  ]
}

it('what a reader of the preview may look up is indexed alike, and in the same order', () => {
  fc.assert(
    fc.property(drawTwins, ({ first, second }) => {
      expect(listEntries(first)).toEqual(listEntries(second))
    }),
    { numRuns: countRuns(200) },
  )
})

/** Lists the terms of each entry with their places, and those that it is mostly about. */
function listEntries({ slug, title, body }: TestPack): unknown[] {
  const sections = splitSections(body).map((section) => ({ ...section, tokens: 1 }))
  const facts = { domain_slug: 'tests', difficulty: 'beginner', token_count: 1, rosetta_tokens: 0 }
  const { entries, words } = describePack({ ...facts, slug, title }, body, sections)
  const order = [...new Set(entries.flatMap(({ terms }) => [...terms.keys()]))].filter(
    (term) => !isFullTerm(term),
  )
  const found = entries.map(({ ordinal, length, terms }) => {
    const known = order.flatMap((term) => (terms.has(term) ? [[term, terms.get(term)]] : []))
    const keys = listKeyTerms(terms, isFullTerm).filter((term) => !isFullTerm(term))
    return { ordinal, length, known, keys: keys.toSorted() }
  })
  return [order, ...found, words]
}
