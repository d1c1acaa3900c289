import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterError, comparePairs, type Pair, scoreInterval } from '../../src/statistics/compare-pairs.ts'

/**
 * Schools and sums of `api00` in the 15 districts of `apiclus1`, the cluster sample of 15 from 757 districts in the R package
 * survey (Lumley 2004, J Stat Softw 9(8)).
 */
const DISTRICTS = [
  [11, 7359],
  [4, 1888],
  [2, 905],
  [13, 8593],
  [2, 1116],
  [4, 2493],
  [4, 2077],
  [16, 11369],
  [9, 6386],
  [34, 22508],
  [21, 13761],
  [37, 20394],
  [13, 9372],
  [1, 551],
  [12, 9111],
] as const

/** Pairs of documents, each with answers: `=` both right, `+` only the arm, `-` only the source, `.` neither. */
function writePairs(documents: readonly string[]): Pair[] {
  return documents.flatMap((answers, at) =>
    Array.from(answers, (answer) => ({
      document: `document-${at}`,
      source: answer === '=' || answer === '-',
      arm: answer === '=' || answer === '+',
    })),
  )
}

describe('clusterError', () => {
  const districts = DISTRICTS.map(([questions, sum]) => ({ questions, sum }))

  it('gives the error of `svymean(~api00, as.svrepdesign(dclus1))`', () => {
    // Published in tests/api.Rout.save of the package, with the factor for the sampled districts of a finite population.
    expect(clusterError(districts) * Math.sqrt(1 - 15 / 757)).toBeCloseTo(26.329, 3)
  })

  it('is at least the one with the factor G / (G - 1), if sizes are unlike', () => {
    // Published beside it: `svymean(~api00, dclus1)` has the error 23.542.
    expect(clusterError(districts) * Math.sqrt(1 - 15 / 757)).toBeGreaterThan(23.542)
  })

  it('is that of the means of documents, if all have equal numbers of questions', () => {
    // By hand: means 0.5, 0, -0.25, 0.25, mean 0.125, squares 0.140625 + 0.015625 + 0.140625 + 0.015625 = 0.3125.
    const clusters = [2, 0, -1, 1].map((sum) => ({ questions: 4, sum }))
    expect(clusterError(clusters)).toBeCloseTo(Math.sqrt(0.3125 / 3 / 4), 12)
  })
})

describe('comparePairs', () => {
  it('counts pairs and documents', () => {
    expect(comparePairs(writePairs(['==+', '--.', '=']))).toEqual({
      questions: 7,
      documents: 3,
      both_right: 3,
      only_arm: 1,
      only_source: 2,
      both_wrong: 1,
      difference: -1 / 7,
      interval: scoreInterval({ both: 3, onlyArm: 1, onlySource: 2, neither: 1 }),
      method: 'score',
    })
  })

  it('takes the wider interval from 20 documents on', () => {
    // All that was lost was lost in two documents.
    const documents = (count: number): string[] => [
      '------',
      '------',
      ...Array<string>(count - 2).fill('======'),
    ]
    const few = comparePairs(writePairs(documents(19)))
    const many = comparePairs(writePairs(documents(20)))
    expect(few.method).toBe('score')
    expect(many.method).toBe('cluster')
    expect(many.interval[0]).toBeLessThan(few.interval[0])
    // By hand: means of 2 documents -1, of 18 0, mean -0.1; error² (2 · 0.81 + 18 · 0.01) / (20 · 19); of independent pairs
    // (0.1 - 0.01) / 119; t of 19 degrees 2.093024.
    const worth = ((1.8 / 380 / (0.09 / 119)) * 2.093024 ** 2) / 1.959964 ** 2
    const expected = scoreInterval({ both: 108 / worth, onlyArm: 0, onlySource: 12 / worth, neither: 0 })
    expect(many.interval[0]).toBeCloseTo(expected[0], 6)
    expect(many.interval[1]).toBeCloseTo(expected[1], 6)
    // What was lost evenly varies less than independent answers do.
    const even = comparePairs(writePairs(Array<string>(20).fill('=====-')))
    expect(even.method).toBe('score')
    for (const answers of ['==', '--'])
      expect(comparePairs(writePairs(Array<string>(20).fill(answers)))).toMatchObject({
        method: 'score',
        interval: scoreInterval({
          both: answers === '==' ? 40 : 0,
          onlyArm: 0,
          onlySource: answers === '--' ? 40 : 0,
          neither: 0,
        }),
      })
  })

  it('is mirrored if the arms are swapped, and does not depend on the order', () => {
    const answers = fc.array(fc.constantFrom('=', '+', '-', '.'), { minLength: 1, maxLength: 8 })
    const sets = fc.array(
      answers.map((list) => list.join('')),
      { minLength: 20, maxLength: 30 },
    )
    fc.assert(
      fc.property(sets, (documents) => {
        const pairs = writePairs(documents)
        const { interval, method, difference } = comparePairs(pairs)
        const swapped = comparePairs(
          pairs.map(({ document, source, arm }) => ({ document, source: arm, arm: source })),
        )
        expect(swapped.method).toBe(method)
        expect(swapped.interval[0]).toBeCloseTo(-interval[1], 12)
        expect(swapped.interval[1]).toBeCloseTo(-interval[0], 12)
        expect(comparePairs(pairs.toReversed()).interval[0]).toBeCloseTo(interval[0], 12)
        expect(interval[0]).toBeLessThanOrEqual(difference)
        expect(interval[1]).toBeGreaterThanOrEqual(difference)
      }),
    )
  })

  it('says nothing without a question', () => {
    expect(comparePairs([])).toMatchObject({ questions: 0, documents: 0, difference: 0, interval: [-1, 1] })
  })
})
