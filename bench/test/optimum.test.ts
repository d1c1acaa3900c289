import { readFileSync } from 'node:fs'
import { getTokenizer, loadTokenizer } from '@packs/codec/tokens'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  FORBIDDEN_ADJACENCY,
  type CandidateSet,
} from '../../packages/codec/src/compress/candidates/candidate-set.ts'
import { findOptimum } from '../optimum/find-optimum.ts'
import { judgeOptimum, measureOptimum, weighSelection } from '../optimum/measure-optimum.ts'
import { loadSolver } from '../optimum/solve-model.ts'
import { candidateSets } from './candidate-sets.ts'

const highs = await loadSolver()

beforeAll(async () => {
  await loadTokenizer('o200k_base')
})

describe('measureOptimum', () => {
  const example = (name: string): string =>
    readFileSync(new URL(`../../examples/packs/${name}`, import.meta.url), 'utf8')
  const texts = [
    ['prose', example('tls-certificates.md').slice(0, 3000)],
    ['tables', example('http-status-codes.md').slice(2000, 5000)],
    ['Japanese', example('jishin-no-sonae.md').slice(0, 1500)],
  ] as const

  it.each(
    texts.flatMap(([name, text]) =>
      (['glossary-1', 'dense-1'] as const).map((scheme) => ({ name, text, scheme })),
    ),
  )('is at most the optimum, and its bound at least: $name, $scheme', async ({ name, text, scheme }) => {
    const document = { file: name, bytes: Buffer.byteLength(text), text }
    const row = await measureOptimum(document, {
      scheme,
      tokenizer: getTokenizer('o200k_base'),
      maxSlots: Infinity,
      seconds: 30,
    })
    expect(judgeOptimum(row)).toEqual([])
    expect(row.reached).toBe(row.limit)
    expect(row.value).toBeLessThanOrEqual(row.reached)
    expect(row.bound).toBeGreaterThanOrEqual(row.reached - 1e-6)
  })
})

describe('findOptimum', () => {
  it('finds the optimum of an exhaustive search', () => {
    fc.assert(
      fc.property(candidateSets(), fc.boolean(), (set, floors) => {
        const { reached, bound, occurrences } = findOptimum(highs, set, { least: 0, floors, seconds: 10 })
        expect([reached, bound]).toEqual(Array(2).fill(searchOptimum(set, floors)))
        expect(weighSelection(set, occurrences ?? []).value).toBe(reached)
      }),
      { numRuns: 150 },
    )
  })

  it('returns the given value if that is the optimum', () => {
    fc.assert(
      fc.property(candidateSets(), (set) => {
        const least = searchOptimum(set, false)
        const { reached, bound, occurrences } = findOptimum(highs, set, { least, floors: false, seconds: 10 })
        expect([reached, bound, occurrences]).toEqual([least, least, undefined])
      }),
      { numRuns: 50 },
    )
  })

  it('returns limits if the time is too short', () => {
    fc.assert(
      fc.property(candidateSets(), (set) => {
        const { reached, bound } = findOptimum(highs, set, { least: 0, floors: false, seconds: 0 })
        const optimum = searchOptimum(set, false)
        expect(reached).toBeLessThanOrEqual(optimum)
        expect(bound).toBeGreaterThanOrEqual(optimum - 1e-9)
      }),
      { numRuns: 50 },
    )
  })
})

/** Tries every set of occurrences. */
function searchOptimum(set: CandidateSet, floors: boolean): number {
  let best = 0
  const used: number[] = []
  const visit = (occurrence: number): void => {
    if (occurrence === set.occurrenceCount) {
      const { value, short } = weighSelection(set, used)
      if (!floors || short.length === 0) best = Math.max(best, value)
      return
    }
    visit(occurrence + 1)
    const begin = set.occurrenceStart[occurrence]!
    const end = used.length === 0 ? -1 : set.occurrenceEnd[used.at(-1)!]!
    if (begin < end || (begin === end && set.adjacencyGain[begin] === FORBIDDEN_ADJACENCY)) return
    used.push(occurrence)
    visit(occurrence + 1)
    used.pop()
  }
  visit(0)
  return best
}
