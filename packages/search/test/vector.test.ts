import { decodeVector, encodeVector, listKeyTerms, type Occurrence } from '@packs/search'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTerms } from '../src/entries/vector.ts'

const occurrence = fc.record({
  uses: fc.nat(31),
  inHeading: fc.boolean(),
  inPath: fc.boolean(),
  inTitle: fc.boolean(),
})
const vector = fc.record({
  length: fc.nat(2 ** 31 - 1),
  occurrences: fc
    .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 31 - 1 }), occurrence))
    .map((entries) => new Map<number, Occurrence>(entries)),
})

describe('a vector', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(vector, (written) => {
        expect(decodeVector(encodeVector(written))).toEqual(written)
      }),
    )
  })

  it('is searched for terms', () => {
    fc.assert(
      fc.property(vector, fc.array(fc.integer({ min: 1, max: 300 })), (written, others) => {
        const wanted = Int32Array.from(
          new Set([...others, ...[...written.occurrences.keys()].slice(0, 5)]),
        ).toSorted()
        const flags = new Uint8Array(wanted.length)
        expect(findTerms(encodeVector(written), wanted, flags)).toBe(written.length)
        const expected = [...wanted].map((term) => written.occurrences.get(term)?.uses ?? 0)
        expect([...flags].map((found) => found >> 3)).toEqual(expected)
      }),
    )
  })

  it.each([[[]], [[128]], [[1, 5]], [[1, 128, 128, 128, 128, 128, 1, 8]]])('is not %j', (bytes) => {
    expect(() => decodeVector(Uint8Array.from(bytes))).toThrow(RangeError)
  })
})

describe('key terms', () => {
  const isNever = (): boolean => false
  const text = (uses: number): Occurrence => ({ uses, inHeading: false, inPath: false, inTitle: false })

  it('are those of names and the most used ones', () => {
    const occurrences = new Map<number, Occurrence>([
      [1, { ...text(0), inTitle: true }],
      [2, text(1)],
      [3, text(5)],
    ])
    expect(listKeyTerms(occurrences, isNever)).toEqual([1, 3])
  })

  it('are not fewer where pairs of characters are used often', () => {
    const pairs = Array.from({ length: 20 }, (_, at): [number, Occurrence] => [100 + at, text(9)])
    const occurrences = new Map<number, Occurrence>([[1, text(2)], [2, text(1)], ...pairs])
    expect(listKeyTerms(occurrences, (term) => term >= 100)).toContain(1)
    expect(listKeyTerms(occurrences, isNever)).not.toContain(1)
  })

  it('do not grow with the text', () => {
    const occurrences = new Map(
      Array.from({ length: 1000 }, (_, index) => [index + 1, text(2 + (index % 30))]),
    )
    expect(listKeyTerms(occurrences, isNever).length).toBeLessThanOrEqual(40)
    expect(listKeyTerms(new Map([[7, text(2)]]), isNever)).toEqual([7])
  })
})
