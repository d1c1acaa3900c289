import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LongMerger, mergeLong } from '../../src/tokens/piece-merger.ts'
import { mergeByHeap, mergeShort, SHORT_PIECE, type Tokens } from '../../src/tokens/merge-bytes.ts'
import { buildVocabulary } from '../../src/tokens/vocabulary/build-vocabulary.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const letters = ['a', 'b', 'c']
const word = fc.string({ unit: fc.constantFrom(...letters), minLength: 2, maxLength: 5 })
const ranks = fc.uniqueArray(word, { maxLength: 30 }).map((words) => [...letters, ...words])
const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 400 })

/** The definition: while two neighbours form a token, merge the leftmost pair of the lowest rank. */
function mergeByDefinition(piece: string, tokens: readonly string[]): number[] {
  const parts = piece.split('')
  for (;;) {
    const pairs = parts.slice(1).map((part, index) => tokens.indexOf(parts[index]! + part))
    const lowest = Math.min(...pairs.filter((rank) => rank >= 0))
    if (lowest === Infinity) return parts.map((part) => tokens.indexOf(part))
    const at = pairs.indexOf(lowest)
    parts.splice(at, 2, parts[at]! + parts[at + 1]!)
  }
}

function idsOf({ ids, count }: Tokens): number[] {
  return [...ids.subarray(0, count)]
}

describe('byte-pair merges', () => {
  it('match the definition for any vocabulary', () => {
    fc.assert(
      fc.property(ranks, text, (tokens, piece) => {
        const vocabulary = buildVocabulary(tokens)
        const bytes = new TextEncoder().encode(piece)
        const expected = mergeByDefinition(piece, tokens)
        expect(idsOf(mergeByHeap(bytes, 0, bytes.length, vocabulary))).toEqual(expected)
        for (const window of [2, 8, 24, 64]) {
          expect(idsOf(mergeLong(bytes, 0, bytes.length, vocabulary, window))).toEqual(expected)
        }
      }),
      { numRuns: countRuns(200) },
    )
  })

  it('of short pieces match the definition for any vocabulary', () => {
    const shortText = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: SHORT_PIECE })
    fc.assert(
      fc.property(ranks, shortText, (tokens, piece) => {
        const bytes = new TextEncoder().encode(`a${piece}`)
        const merged = mergeShort(bytes, 1, bytes.length, buildVocabulary(tokens))
        expect(idsOf(merged)).toEqual(mergeByDefinition(piece, tokens))
      }),
      { numRuns: countRuns(200) },
    )
  })

  it('of one byte match the definition for any vocabulary', () => {
    const run = fc.integer({ min: 1, max: 40 }).map((length) => 'a'.repeat(length))
    const runRanks = fc
      .uniqueArray(run, { maxLength: 12 })
      .map((words) => ['a', ...words.filter((word) => word !== 'a')])
    fc.assert(
      fc.property(runRanks, fc.integer({ min: 1, max: 300 }), (tokens, length) => {
        const bytes = new Uint8Array(length + 2).fill(0x61)
        const merged = new LongMerger(buildVocabulary(tokens)).merge(bytes, 1, length + 1)
        expect(idsOf(merged)).toEqual(mergeByDefinition('a'.repeat(length), tokens))
      }),
      { numRuns: countRuns(100) },
    )
  })

  it('end where the tokens end', () => {
    const bytes = new TextEncoder().encode('abcab')
    const { ends, count } = mergeByHeap(bytes, 0, bytes.length, buildVocabulary(['a', 'b', 'c', 'ab']))
    expect([...ends.subarray(0, count)]).toEqual([2, 3, 5])
  })
})
