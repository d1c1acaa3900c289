import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PhraseFinder } from '../../../src/compress/text/phrase-finder.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '中', '😀'), minLength: 1, maxLength: 6 })
const phrases = fc.uniqueArray(letters, { minLength: 1, maxLength: 12 })
const texts = fc.string({ unit: fc.constantFrom('a', 'b', '中', '😀'), maxLength: 80 })

it('finds what a search for each phrase by itself finds', () => {
  fc.assert(
    fc.property(phrases, texts, (wanted, text) => {
      const expected = wanted.map((phrase) => listOccurrences(phrase, text, phrase.length))
      expect(new PhraseFinder(wanted).listStarts(text)).toEqual(expected)
    }),
    { numRuns: countRuns(100) },
  )
})

it('finds the last start of a phrase that ends at or before each offset', () => {
  fc.assert(
    fc.property(phrases, texts, (wanted, text) => {
      const found = wanted.flatMap((phrase) =>
        listOccurrences(phrase, text, 1).map((start) => [start, start + phrase.length] as const),
      )
      const expected = Array.from({ length: text.length + 1 }, (_, end) =>
        Math.max(-1, ...found.filter((range) => range[1] <= end).map(([start]) => start)),
      )
      expect([...new PhraseFinder(wanted).findLastStarts(text)]).toEqual(expected)
    }),
    { numRuns: countRuns(100) },
  )
})

function listOccurrences(phrase: string, text: string, step: number): number[] {
  const starts: number[] = []
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + step)) starts.push(at)
  return starts
}
