import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverText, createCoverWorkspace } from '../../../src/compress/selection/cover-text.ts'
import { buildCandidateSet } from '../../../src/compress/candidates/build-candidate-set.ts'
import {
  FORBIDDEN_ADJACENCY,
  type CandidateSet,
  dropUnusedBoundaries,
} from '../../../src/compress/candidates/candidate-set.ts'
import { collectActive, weighOccurrences } from '../../../src/compress/selection/active-occurrences.ts'
import { selectEntries } from '../../../src/compress/selection/select-entries.ts'

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
  canTouch: fc.boolean(),
  hidden: fc.array(fc.boolean(), { minLength: 32, maxLength: 32 }),
})

type Problem = typeof problem extends fc.Arbitrary<infer Value> ? Value : never

/** Builds the set of a problem, or of several copies of it one after the other, each with candidates of its own. */
function buildSet(
  { lengths, costs, begins, ends, adjacencyGain, canTouch, hidden }: Problem,
  copies = 1,
): CandidateSet {
  const positions: number[] = []
  const from: number[] = []
  const to: number[] = []
  for (let copy = 0; copy < copies; copy++) {
    for (const [candidate, length] of lengths.entries()) {
      from.push(positions.length)
      for (let begin = 0; begin + length <= UNITS; begin++)
        if (!hidden[candidate * UNITS + begin]) positions.push(copy * (UNITS + 1) + begin)
      to.push(positions.length)
    }
  }
  const repeat = (values: readonly number[]): number[] => Array.from({ length: copies }, () => values).flat()
  const source = {
    sample: Int32Array.from(from, (at) => positions[at] ?? 0),
    length: Int32Array.from(repeat(lengths)),
    cost: Float64Array.from(repeat(costs.slice(0, lengths.length))),
    floor: new Int32Array(from.length).fill(1),
    extra: new Int32Array(from.length),
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    positions: Int32Array.from(positions),
  }
  const boundaries = {
    total: 100,
    begins: Int32Array.from(repeat(begins)),
    ends: Int32Array.from(repeat(ends)),
    adjacencyGain: Int8Array.from(repeat(adjacencyGain)),
  }
  return buildCandidateSet(source, boundaries, { allows: () => true }, canTouch)
}

/** Finds the best net value of a set. */
function searchBestSelection(set: CandidateSet): number {
  return searchBest(set, (used, gross) => {
    const candidates = new Set(used.map(({ candidate }) => candidate))
    return gross - [...candidates].reduce((sum, candidate) => sum + set.cost[candidate]!, 0)
  })
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
      if (adjacencyGain === FORBIDDEN_ADJACENCY) continue
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
      { numRuns: 1000 },
    )
  })
})

describe('collectActive', () => {
  it('leaves out only occurrences whose best cover is worse than the best of all by more than the margin', () => {
    let left = 0
    const shares = fc.array(fc.integer({ min: 0, max: 16 }), { minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(problem, shares, fc.integer({ min: 0, max: 3 }), (values, sixteenths, margin) => {
        const set = buildSet(values)
        const saved = Int16Array.from(set.occurrencesByCandidate, (at) => set.occurrenceSaved[at]!)
        const multipliers = {
          saved,
          values: Float32Array.from(saved, (tokens, at) => (tokens * sixteenths[at]!) / 16),
        }
        const weights = new Float32Array(set.occurrenceCount)
        weighOccurrences(set, multipliers, weights)
        const workspace = createCoverWorkspace(set.units)
        const best = coverText(set, weights, workspace)
        const active = collectActive(set, multipliers, weights, workspace.reach, margin)
        expect(coverText(active, active.weights, createCoverWorkspace(set.units))).toBe(best)
        const ranks = new Set(active.ranks)
        for (const [rank, occurrence] of set.occurrencesByCandidate.entries()) {
          if (ranks.has(rank)) continue
          left++
          const raised = weights.slice()
          raised[occurrence]! += margin
          expect(coverText(set, raised, createCoverWorkspace(set.units))).toBe(best)
        }
      }),
      { numRuns: 500 },
    )
    expect(left).toBeGreaterThan(100)
  })
})

describe('selectEntries', () => {
  it('returns at most the best value, and a bound of at least that', () => {
    let reached = 0
    let runs = 0
    fc.assert(
      fc.property(problem, (values) => {
        const set = buildSet(values)
        const best = searchBestSelection(set)
        const { value, bound, occurrences, gross } = selectEntries(set, 60)
        expect(value).toBeLessThanOrEqual(best)
        expect(bound).toBeGreaterThanOrEqual(best - 1e-4)
        expect(occurrences.length === 0).toBe(gross.size === 0)
        runs++
        if (value === best) reached++
      }),
      { numRuns: 1000 },
    )
    expect(reached / runs).toBeGreaterThan(0.9)
  })

  it('returns a bound of at least the best value for a set so large that covers leave occurrences out', () => {
    const part: Problem = {
      lengths: [1, 2, 3, 2],
      costs: [3, 4, 6, 5],
      begins: [0, 1, 0, 3, 1, 0, 2, 1, 0],
      ends: [2, 3, 5, 4, 6, 4, 7, 5, 3],
      adjacencyGain: [0, 1, -1, 0, 0, 2, 0, -2, 0],
      canTouch: true,
      hidden: Array.from({ length: 32 }, (_, at) => at % 9 === 4),
    }
    const best = searchBestSelection(buildSet(part))
    const copies = Math.ceil((1 << 18) / buildSet(part).occurrenceCount)
    const { value, bound } = selectEntries(buildSet(part, copies), 40)
    expect(best).toBeGreaterThan(0)
    expect(value).toBeLessThanOrEqual(best * copies)
    expect(value).toBeGreaterThan(0.95 * best * copies)
    expect(bound).toBeGreaterThanOrEqual(best * copies * (1 - 1e-9))
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
      { numRuns: 1000 },
    )
    expect(reached / runs).toBeGreaterThan(0.1)
  })
})
