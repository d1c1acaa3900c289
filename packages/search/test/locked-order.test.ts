import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawQuery, drawTwins, otherPacks, writePage } from './locked-packs.ts'
import { createSearch } from './make-store.ts'

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
    { numRuns: 60 },
  )
})
