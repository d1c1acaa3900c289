import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPrefixes } from '../../src/preview/cut-preview.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import { countTokens } from '../tokens/count-by-library.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

test('every prefix is counted as by the tokenizer, and never below its lower bound', async () => {
  const tokenizer = await loadTokenizer('o200k_base')
  // prettier-ignore
  const words = ['word', ' word', 'WORD', "don't", "'ll", "'l", '12345', '中文', 'é', 'e\u0301', '👍🏽', 'ー', '_']
  // prettier-ignore
  const marks = [
    ' ', '   ', '\n', '\n\n', '\r\n', '\t', '.', '...', '/', ' \n ', '<|endoftext|>', '\u00a0', '\u3000',
    '`',
  ]
  const piece = fc.constantFrom(...words, ...marks)
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      const counts = countPrefixes(text, tokenizer)
      expect(counts.total).toBe(countTokens(text))
      let least = 0
      for (let end = 0; end <= text.length; end++) {
        const tokens = countTokens(text.slice(0, end))
        expect(counts.count(end)).toBe(tokens)
        expect(counts.atLeast(end)).toBeLessThanOrEqual(tokens)
        expect(counts.atLeast(end)).toBeGreaterThanOrEqual(least)
        least = counts.atLeast(end)
        expect(end <= counts.findLimit(tokens)).toBe(true)
      }
    }),
    { numRuns: countRuns(100) },
  )
})

test('measures the pre-token that a cut divides', async () => {
  const counts = countPrefixes('one three', await loadTokenizer('o200k_base'))
  expect([0, 1, 3, 5, 9].map((end) => counts.measureCut(end))).toEqual([0, 3, 0, 6, 0])
})
