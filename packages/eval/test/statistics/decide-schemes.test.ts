import { describe, expect, it } from 'vitest'
import { decideSchemes, type GradedPair } from '../../src/statistics/compare-pairs.ts'
import type { Grade, SchemeOutcome } from '../../src/types.ts'

/** Pairs about two documents, by the number of each combination of grades, as `source/arm`. */
function grade(numbers: Readonly<Record<string, number>>): GradedPair[] {
  const pairs = Object.entries(numbers).flatMap(([grades, count]) => {
    const [source, arm] = grades.split('/') as [Grade, Grade]
    return Array.from({ length: count }, () => ({ source, arm }))
  })
  return pairs.map((pair, at) => ({ document: at % 2 === 0 ? 'one' : 'two', ...pair }))
}

const equal = grade({ 'right/right': 110, 'wrong/wrong': 10 })
const worse = grade({ 'right/right': 90, 'right/wrong': 30 })
const unclear = grade({ 'right/right': 110, 'right/wrong': 5, 'wrong/right': 5 })
const verdicts = (outcomes: readonly SchemeOutcome[]): string[] => outcomes.map(({ verdict }) => verdict)
const decide = (pairs: readonly GradedPair[], margin = 5): SchemeOutcome =>
  decideSchemes([{ scheme: 'dense-2', pairs }], margin)[0]!

describe('the verdict on a scheme', () => {
  it('is that of its interval', () => {
    expect(decide(equal)).toMatchObject({ verdict: 'as good', needed: null, undecided_wrong: null })
    expect(decide(worse)).toMatchObject({ verdict: 'worse', needed: null })
    expect(decide(unclear)).toMatchObject({ verdict: 'too few questions' })
    expect(decide(unclear, 10).verdict).toBe('as good')
  })

  it('is `as good` for a difference that is real, but within the margin', () => {
    const outcome = decide(grade({ 'right/right': 1970, 'right/wrong': 30 }))
    expect(outcome.figures!.interval[1]).toBeLessThan(0)
    expect(outcome.verdict).toBe('as good')
  })

  it('says how many questions it would take', () => {
    expect(decide(grade({ 'right/right': 40 })).needed).toBe(73)
    expect(decide(grade({ 'right/right': 40 }), 3).needed).toBe(125)
    const { needed } = decide(unclear)
    expect(needed).toBeGreaterThan(240)
    expect(needed).toBeLessThan(400)
    expect(decide(grade({ 'right/right': 38, 'right/wrong': 2 })).needed).toBeNull()
  })

  it('takes more questions where answers about a document have something in common', () => {
    const pairs = (isEven: boolean): GradedPair[] =>
      Array.from({ length: 200 }, (_, at) => ({
        document: `document-${isEven ? at % 20 : Math.floor(at / 10)}`,
        source: at < 180 ? 'right' : 'wrong',
        arm: at < 170 || at >= 190 ? 'right' : 'wrong',
      }))
    const [even, uneven] = [decide(pairs(true), 4), decide(pairs(false), 4)]
    expect([even.figures!.method, uneven.figures!.method]).toEqual(['score', 'cluster'])
    expect(even.verdict).toBe('too few questions')
    expect(uneven.needed).toBeGreaterThan(1.5 * even.needed!)
    expect(even.needed).toBeGreaterThan(200)
  })

  it('is sane without a question', () => {
    expect(decide([])).toMatchObject({
      verdict: 'too few questions',
      figures: { questions: 0, interval: [-1, 1] },
      needed: 73,
    })
  })
})

describe('undecided answers', () => {
  it('are shown as right and as wrong, in both arms', () => {
    const { figures, undecided_wrong } = decide(
      grade({ 'right/right': 100, 'right/undecided': 3, 'undecided/wrong': 2, 'undecided/undecided': 1 }),
    )
    expect(figures).toMatchObject({ both_right: 104, only_source: 2, only_arm: 0, both_wrong: 0 })
    expect(undecided_wrong).toMatchObject({ both_right: 100, only_source: 3, only_arm: 0, both_wrong: 3 })
  })

  it('take a verdict away that only one of both gives', () => {
    // As good if they are right, worse if they are wrong; and the other way round for the source.
    expect(decide(grade({ 'right/right': 100, 'right/undecided': 20 })).verdict).toBe('too few questions')
    expect(decide(grade({ 'right/right': 100, 'undecided/wrong': 20 })).verdict).toBe('too few questions')
    expect(decide(grade({ 'right/right': 300, 'right/undecided': 1 })).verdict).toBe('as good')
    expect(decide(grade({ 'right/wrong': 100, 'right/undecided': 1 })).verdict).toBe('worse')
  })

  it('need as many questions as the less favourable figures', () => {
    expect(decide(grade({ 'right/right': 60, 'right/undecided': 20 })).needed).toBeNull()
    for (const grades of ['right/undecided', 'undecided/wrong'])
      expect(decide(grade({ 'right/right': 97, [grades]: 3 })).needed).toBeGreaterThan(500)
  })
})

describe('several schemes', () => {
  it('are decided in their order, up to the first that is not as good', () => {
    const outcomes = decideSchemes(
      [
        { scheme: 'minify-1', pairs: equal },
        { scheme: 'dense-2', pairs: unclear },
        { scheme: 'max-2', pairs: equal },
      ],
      5,
    )
    expect(verdicts(outcomes)).toEqual(['as good', 'too few questions', 'not tested'])
    expect(outcomes[2]).toMatchObject({ figures: { questions: 120 }, needed: null })
    expect(
      verdicts(
        decideSchemes(
          [
            { scheme: 'minify-1', pairs: worse },
            { scheme: 'dense-2', pairs: worse },
          ],
          5,
        ),
      ),
    ).toEqual(['worse', 'not tested'])
  })

  it('go on after one that writes the source', () => {
    const outcomes = decideSchemes(
      [
        { scheme: 'minify-1', pairs: 'same prompt' },
        { scheme: 'dense-2', pairs: worse },
        { scheme: 'max-2', pairs: 'same prompt' },
      ],
      5,
    )
    expect(verdicts(outcomes)).toEqual(['same prompt', 'worse', 'same prompt'])
    expect(outcomes[0]).toEqual({
      scheme: 'minify-1',
      verdict: 'same prompt',
      figures: null,
      undecided_wrong: null,
      needed: null,
    })
  })
})
