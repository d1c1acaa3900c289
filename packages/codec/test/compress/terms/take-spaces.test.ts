import { expect, it } from 'vitest'
import type { CandidateSet } from '../../../src/compress/candidates/candidate-set.ts'
import { takeSpaces } from '../../../src/compress/terms/assign-terms.ts'
import { lexUnits } from '../../../src/compress/text/lex-units.ts'

const [PLAIN, WITH_SPACE] = [0, 1]
/** The words `b` of a text, each with and without the space before it; an entry with the space costs `cost`. */
const setOf = (text: string, cost: number) => {
  const units = lexUnits(text, new Int32Array(0), true)
  const places: [begin: number, end: number, candidate: number][] = []
  for (let unit = 1; unit < units.count; unit++) {
    if (text[unit] !== 'b') continue
    if (text[unit - 1] === ' ') places.push([unit - 1, unit + 1, WITH_SPACE])
    places.push([unit, unit + 1, PLAIN])
  }
  const set = {
    cost: Float64Array.of(4, cost),
    occurrenceStart: Int32Array.from(places, ([begin]) => begin),
    occurrenceEnd: Int32Array.from(places, ([, end]) => end),
    occurrenceCandidate: Int32Array.from(places, ([, , candidate]) => candidate),
    occurrenceSaved: new Int16Array(places.length).fill(3),
    firstByEnd: Int32Array.from({ length: units.count + 2 }, (_, at) => {
      const first = places.findIndex(([, end]) => end >= at)
      return first < 0 ? places.length : first
    }),
    adjacencyGain: new Int32Array(units.count + 1),
  } as unknown as CandidateSet
  const occurrences = Int32Array.from(places.keys()).filter((at) => places[at]![2] === PLAIN)
  const gross = new Map([[PLAIN, 3 * occurrences.length]])
  return takeSpaces(units, set, { value: 3 * occurrences.length - 4, occurrences, gross })
}

it('moves the space into the entry if all uses follow one', () => {
  const { value, occurrences, gross } = setOf('a b.b b', 4)
  expect([value, [...occurrences], [...gross.keys()]]).toEqual([5, [1, 2, 4], [PLAIN]])
  const moved = setOf('a b. b', 4)
  expect([moved.value, [...moved.occurrences], [...moved.gross]]).toEqual([2, [0, 2], [[WITH_SPACE, 6]]])
})

it('keeps the entry if the other one costs more, and counts what it gains if it costs less', () => {
  expect([...setOf('a b. b', 5).gross.keys()]).toEqual([PLAIN])
  const cheaper = setOf('a b. b', 3)
  expect([cheaper.value, [...cheaper.gross.keys()]]).toEqual([3, [WITH_SPACE]])
})
