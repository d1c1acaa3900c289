import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  coverText,
  createCoverWorkspace,
  ShrinkingCover,
} from '../../../src/compress/selection/prune-entries.ts'
import {
  buildCandidateSet,
  type CandidateSet,
  dropUnusedBoundaries,
} from '../../../src/compress/candidates/candidate-set.ts'
import { selectEntries } from '../../../src/compress/selection/select-entries.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const UNITS = 8

interface Occurrence {
  readonly candidate: number
  readonly begin: number
}

/** Small problems: up to four candidates of one to three units, boundary costs, positive or negative adjacency gains. */
const problem = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
  costs: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 4, maxLength: 4 }),
  begins: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  ends: fc.array(fc.integer({ min: 2, max: 8 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  adjacencyGain: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  hidden: fc.array(fc.boolean(), { minLength: 32, maxLength: 32 }),
})

type Problem = typeof problem extends fc.Arbitrary<infer Value> ? Value : never

function buildSet({ lengths, costs, begins, ends, adjacencyGain, hidden }: Problem): CandidateSet {
  const positions: number[] = []
  const from: number[] = []
  const to: number[] = []
  for (const [candidate, length] of lengths.entries()) {
    from.push(positions.length)
    for (let begin = 0; begin + length <= UNITS; begin++)
      if (!hidden[candidate * UNITS + begin]) positions.push(begin)
    to.push(positions.length)
  }
  const source = {
    sample: Int32Array.from(from, (at) => positions[at] ?? 0),
    length: Int32Array.from(lengths),
    cost: Float64Array.from(lengths, (_, candidate) => costs[candidate]!),
    floor: new Int32Array(lengths.length).fill(1),
    extra: new Int32Array(lengths.length),
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    positions: Int32Array.from(positions),
  }
  const boundaries = {
    total: 100,
    begins: Int32Array.from(begins),
    ends: Int32Array.from(ends),
    adjacencyGain: Int8Array.from(adjacencyGain),
  }
  return buildCandidateSet(source, boundaries, () => true)
}

/** Finds the best net value by trying all sets of occurrences that do not overlap. */
function searchBest(
  set: CandidateSet,
  price: (used: readonly Occurrence[], gross: number) => number,
): number {
  let best = 0
  const walk = (first: number, end: number, used: readonly Occurrence[], gross: number): void => {
    best = Math.max(best, price(used, gross))
    for (let next = first; next < set.occurrenceCount; next++) {
      const begin = set.occurrenceStart[next]!
      if (begin < end) continue
      const adjacencyGain = used.length > 0 && begin === end ? set.adjacencyGain[begin]! : 0
      const occurrence = { candidate: set.occurrenceCandidate[next]!, begin }
      walk(
        next + 1,
        set.occurrenceEnd[next]!,
        [...used, occurrence],
        gross + set.occurrenceSaved[next]! + adjacencyGain,
      )
    }
  }
  walk(0, 0, [], 0)
  return best
}

describe('coverText', () => {
  it('finds the best cover, on all boundaries and on the used ones', () => {
    fc.assert(
      fc.property(problem, (values) => {
        const set = buildSet(values)
        const best = searchBest(set, (_, gross) => gross)
        for (const view of [set, dropUnusedBoundaries(set)]) {
          expect(
            coverText(view, new Float32Array(view.occurrenceSaved), createCoverWorkspace(view.units)),
          ).toBe(best)
        }
      }),
      { numRuns: countRuns(100) },
    )
  })
})

describe('ShrinkingCover', () => {
  it('is the best cover of the candidates that are left', () => {
    fc.assert(
      fc.property(problem, fc.array(fc.nat(3), { maxLength: 3 }), (values, dropped) => {
        const set = buildSet(values)
        const cover = new ShrinkingCover(set)
        const gone = new Set<number>()
        for (const candidate of dropped.map((choice) => choice % set.count)) {
          gone.add(candidate)
          cover.drop([candidate])
          const isLeft = (used: readonly Occurrence[]): boolean =>
            used.every((one) => !gone.has(one.candidate))
          const best = searchBest(set, (used, gross) => (isLeft(used) ? gross : 0))
          const used = [...cover.listUsed()].map((occurrence) => set.occurrenceCandidate[occurrence]!)
          expect(cover.gross.reduce((sum, saved) => sum + saved, 0)).toBe(best)
          expect(used.filter((one) => gone.has(one))).toEqual([])
          expect(used.length).toBe(cover.uses.reduce((sum, count) => sum + count, 0))
        }
      }),
      { numRuns: countRuns(100) },
    )
  })
})

describe('selectEntries', () => {
  it('counts costs that are no whole numbers', () => {
    fc.assert(
      fc.property(problem, fc.double({ min: 1.1, max: 1.9, noNaN: true }), (values, weight) => {
        const set = buildSet(values)
        const weighted = { ...set, cost: set.cost.map((cost) => cost * weight) }
        const { value, bound, gross } = selectEntries(weighted, 60)
        const saved = [...gross].reduce((sum, [candidate, own]) => sum + own - weighted.cost[candidate]!, 0)
        expect(value).toBeCloseTo(saved, 9)
        expect(bound).toBeGreaterThanOrEqual(saved - 1e-4)
      }),
      { numRuns: countRuns(100) },
    )
  })

  it('returns at most the best value, and a bound of at least that', () => {
    let reached = 0
    let runs = 0
    fc.assert(
      fc.property(problem, (values) => {
        const set = buildSet(values)
        const best = searchBest(set, (used, gross) => {
          const candidates = new Set(used.map(({ candidate }) => candidate))
          return gross - [...candidates].reduce((sum, candidate) => sum + set.cost[candidate]!, 0)
        })
        const { value, bound, occurrences, gross } = selectEntries(set, 60)
        expect(value).toBeLessThanOrEqual(best)
        expect(bound).toBeGreaterThanOrEqual(best - 1e-4)
        expect(occurrences.length === 0).toBe(gross.size === 0)
        runs++
        if (value === best) reached++
      }),
      { numRuns: countRuns(100) },
    )
    expect(reached / runs).toBeGreaterThan(0.9)
  })

  it('keeps the limit of terms, with a bound for all selections that keep it', () => {
    let reached = 0
    let runs = 0
    const limits = fc.record({ count: fc.integer({ min: 1, max: 3 }), price: fc.integer({ min: 0, max: 4 }) })
    fc.assert(
      fc.property(problem, limits, (values, limit) => {
        const set = buildSet(values)
        const best = searchBest(set, (used, gross) => {
          const candidates = new Set(used.map(({ candidate }) => candidate))
          if (candidates.size > limit.count) return 0
          return gross - [...candidates].reduce((sum, candidate) => sum + set.cost[candidate]!, 0)
        })
        const { value, bound, gross } = selectEntries(set, 60, limit)
        expect(gross.size).toBeLessThanOrEqual(limit.count)
        expect(value).toBeLessThanOrEqual(best)
        expect(bound).toBeGreaterThanOrEqual(best - 1e-4)
        runs++
        if (limit.price === 0 && value === best) reached++
      }),
      { numRuns: countRuns(100) },
    )
    expect(reached / runs).toBeGreaterThan(0.1)
  })
})
