import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  buildLcpArray,
  buildSuffixArray,
  LcpIntervalWalk,
} from '../../../src/compress/candidates/find-candidates.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const shortText = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 })

function compareSuffixes(values: readonly number[], a: number, b: number): number {
  for (; a < values.length && b < values.length; a++, b++)
    if (values[a] !== values[b]) return values[a]! - values[b]!
  return b - a
}

function commonPrefix(values: readonly number[], a: number, b: number): number {
  let length = 0
  while (Math.max(a, b) + length < values.length && values[a + length] === values[b + length]) length++
  return length
}

describe('buildSuffixArray', () => {
  it('sorts suffixes like a comparison sort', () => {
    fc.assert(
      fc.property(shortText, (values) => {
        const sorted = values.map((_, at) => at).sort((a, b) => compareSuffixes(values, a, b))
        expect([...buildSuffixArray(Int32Array.from(values), 4)]).toEqual(sorted)
      }),
      { numRuns: countRuns(200) },
    )
  })

  it('sorts a long run of one value from its end', () => {
    const suffixes = buildSuffixArray(new Int32Array(100_000), 1)
    expect([suffixes[0], suffixes[99_999]]).toEqual([99_999, 0])
  })
})

describe('buildLcpArray', () => {
  it('returns the common prefix of neighbours', () => {
    fc.assert(
      fc.property(shortText, (list) => {
        const values = Int32Array.from(list)
        const suffixes = buildSuffixArray(values, 4)
        const expected = [...suffixes].map((at, rank) =>
          rank === 0 ? 0 : commonPrefix(list, suffixes[rank - 1]!, at),
        )
        expect([...buildLcpArray(values, suffixes)]).toEqual(expected)
      }),
    )
  })
})

describe('LcpIntervalWalk', () => {
  it('visits every repeated substring once, with all its positions', () => {
    fc.assert(
      fc.property(shortText, (list) => {
        const values = Int32Array.from(list)
        const suffixes = buildSuffixArray(values, 4)
        const found = new Map<string, string>()
        for (const walk = new LcpIntervalWalk(buildLcpArray(values, suffixes)); walk.next();) {
          const { first, last, shorter, longest } = walk
          for (let size = shorter + 1; size <= longest; size++) {
            const places = [...suffixes.subarray(first, last + 1)].sort((a, b) => a - b)
            const key = list.slice(places[0], places[0]! + size).join()
            expect(found.has(key)).toBe(false)
            found.set(key, places.join())
          }
        }
        expect(found).toEqual(listRepeats(list))
      }),
    )
  })
})

function listRepeats(list: readonly number[]): Map<string, string> {
  const places = new Map<string, number[]>()
  for (let from = 0; from < list.length; from++) {
    for (let to = from + 1; to <= list.length; to++) {
      const key = list.slice(from, to).join()
      places.set(key, [...(places.get(key) ?? []), from])
    }
  }
  return new Map([...places].filter(([, at]) => at.length > 1).map(([key, at]) => [key, at.join()]))
}
