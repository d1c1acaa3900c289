import fc from 'fast-check'
import {
  FORBIDDEN_ADJACENCY,
  type CandidateSet,
} from '../../packages/codec/src/compress/candidates/candidate-set.ts'

const UNITS = 10

/** Small sets of candidates, with occurrences that overlap, overlap themselves, must not touch, or gain by touching. */
export function candidateSets(): fc.Arbitrary<CandidateSet> {
  const candidate = fc.record({
    length: fc.integer({ min: 1, max: 4 }),
    cost: fc.integer({ min: 1, max: 4 }),
    floor: fc.integer({ min: 0, max: 2 }),
    places: fc.uniqueArray(fc.integer({ min: 0, max: UNITS - 1 }), { minLength: 1, maxLength: 4 }),
    saved: fc.integer({ min: 1, max: 3 }),
  })
  const adjacencyGain = fc.array(fc.constantFrom(0, 0, 0, 1, 2, -1, FORBIDDEN_ADJACENCY), {
    minLength: UNITS + 1,
    maxLength: UNITS + 1,
  })
  return fc
    .tuple(fc.array(candidate, { minLength: 1, maxLength: 4 }), adjacencyGain)
    .map(([candidates, adjacencies]) => {
      const occurrences = candidates
        .flatMap(({ length, places, saved }, index) =>
          places.map((start) => ({ candidate: index, start, end: start + length, saved })),
        )
        .filter(({ end }) => end <= UNITS)
        .sort((a, b) => a.end - b.end)
      const byCandidate = candidates.map((_, index) =>
        occurrences.flatMap((occurrence, at) => (occurrence.candidate === index ? [at] : [])),
      )
      const countUpTo = (test: (occurrence: (typeof occurrences)[number]) => boolean): number =>
        occurrences.filter(test).length
      return {
        count: candidates.length,
        units: UNITS,
        sample: new Int32Array(candidates.length),
        length: Int32Array.from(candidates, ({ length }) => length),
        cost: Float64Array.from(candidates, ({ cost }) => cost),
        floor: Int32Array.from(candidates, ({ floor }) => floor),
        occurrenceCount: occurrences.length,
        occurrenceStart: Int32Array.from(occurrences, ({ start }) => start),
        occurrenceEnd: Int32Array.from(occurrences, ({ end }) => end),
        occurrenceCandidate: Int32Array.from(occurrences, ({ candidate: index }) => index),
        occurrenceSaved: Int16Array.from(occurrences, ({ saved }) => saved),
        firstByEnd: Int32Array.from({ length: UNITS + 2 }, (_, end) =>
          countUpTo((occurrence) => occurrence.end < end),
        ),
        firstByCandidate: Int32Array.from({ length: candidates.length + 1 }, (_, index) =>
          countUpTo((occurrence) => occurrence.candidate < index),
        ),
        occurrencesByCandidate: Int32Array.from(byCandidate.flat()),
        adjacencyGain: Int32Array.from(adjacencies),
      }
    })
}
