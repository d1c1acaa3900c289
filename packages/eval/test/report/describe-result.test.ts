import { describe, expect, it } from 'vitest'
import {
  cutText,
  describeFacts,
  describeMeasurement,
  describeOutcome,
} from '../../src/report/describe-result.ts'
import type { EvalResult, SchemeOutcome } from '../../src/types.ts'
import { makeFigures, makeResult } from './made-up-result.ts'

/** Describes dense-2, after minify-1 with the given verdict. */
function describeDense(fields: Partial<SchemeOutcome>, first: SchemeOutcome['verdict'] = 'as good'): string {
  const glossary: SchemeOutcome = {
    scheme: 'minify-1',
    verdict: first,
    figures: null,
    undecided_wrong: null,
    needed: null,
  }
  const dense = { ...glossary, scheme: 'dense-2' as const, ...fields }
  return describeOutcome(dense, makeResult({ schemes: [glossary, dense] }))
}

const real = makeFigures(1, 6, [-0.039, -0.004])

describe('describeOutcome', () => {
  it.each<[expected: string, fields: Partial<SchemeOutcome>, first?: SchemeOutcome['verdict']]>([
    [
      'dense-2: as good as the source within 5 points: +0.4 points (−1.7 to +2.7)',
      { verdict: 'as good', figures: makeFigures(3, 2, [-0.017, 0.027]) },
    ],
    [
      'dense-2: as good as the source within 5 points, but the difference is real: −2.2 points (−3.9 to −0.4)',
      { verdict: 'as good', figures: real },
    ],
    [
      'dense-2: as good as the source within 5 points, even better: +2.2 points (+0.4 to +3.9)',
      { verdict: 'as good', figures: makeFigures(6, 1, [0.004, 0.039]) },
    ],
    [
      'dense-2: worse than the source: −6.5 points (−10.4 to −3.2)',
      { verdict: 'worse', figures: makeFigures(1, 16, [-0.104, -0.032]) },
    ],
    [
      'dense-2: too few questions; about 1,310 would do if answers differ as often: −2.2 points (−3.9 to −0.4)',
      { verdict: 'too few questions', figures: real, needed: 1310 },
    ],
    [
      'dense-2: too few questions, and no number would do: the difference seen is beyond the margin: −2.2 points (−3.9 to −0.4)',
      { verdict: 'too few questions', figures: real, needed: null },
    ],
    [
      'dense-2: not tested, because minify-1 was not as good',
      { verdict: 'not tested', figures: null },
      'too few questions',
    ],
    [
      'dense-2: not tested, because minify-1 has no verdict: −2.2 points (−3.9 to −0.4)',
      { verdict: 'not tested', figures: real },
      'no verdict',
    ],
    [
      'dense-2: not tested, because an earlier scheme was not as good',
      { verdict: 'not tested', figures: null },
      'same prompt',
    ],
    ['dense-2: same prompt as the source, so there was nothing to ask', { verdict: 'same prompt' }],
    ['dense-2: no verdict, for the reason in the warnings', { verdict: 'no verdict' }],
  ])('says %s', (expected, fields, first) => {
    expect(describeDense(fields, first)).toBe(expected)
  })
})

describe('describeMeasurement', () => {
  it('names the model as asked and as returned, the date, questions, documents, margin', () => {
    expect(describeMeasurement(makeResult())).toBe(
      'gpt-5-mini (answered as gpt-5-mini-2025-08-07) on 2026-11-28: 232 questions on 12 documents, margin 5 percentage points, 8 of 240 excluded because it knew the answer without a document',
    )
  })

  it('says nothing about names that are the same, and names what is generated or together', () => {
    const questions = { asked: 1, excluded: 0, generated: true, kinds: { fact: 1 } }
    const noise = { ...makeFigures(0, 0, [0, 0]), questions: 1, documents: 1 }
    const fields = { returned: ['gpt-5-mini'], questions, noise, margin: 1, together: true }
    expect(describeMeasurement(makeResult(fields))).toBe(
      'gpt-5-mini on 2026-11-28: 1 question, written by a model, on 1 document in one prompt, margin 1 percentage point',
    )
  })

  it('cuts names, and shows at most three', () => {
    const returned = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(100))
    const text = describeMeasurement(makeResult({ returned }))
    expect(text).toContain(`${'a'.repeat(60)}… (40 more characters)`)
    expect(text).not.toContain('dd')
  })
})

describe('describeFacts', () => {
  const findFact = (name: string, fields: Partial<EvalResult> = {}): string =>
    describeFacts(makeResult(fields)).find((fact) => fact.startsWith(`${name}:`))!

  it('gives the noise between two runs of the source', () => {
    expect(findFact('noise')).toBe(
      'noise: the source, asked twice, differs in 5 of 232 questions: +0.4 points (−1.7 to +2.7)',
    )
  })

  it.each([
    ['So the test can fail, and the questions depend on the header', makeFigures(1, 70, [-0.359, -0.239])],
    [
      'as good as the source: −0.4 points (−3.1 to +2.2). So the questions do not depend on the header, and the verdicts say little',
      makeFigures(3, 4, [-0.031, 0.022]),
    ],
    ['too few questions to tell whether they depend on the header', makeFigures(4, 10, [-0.061, 0.008])],
    ['no scheme wrote a header', null],
  ])('says of the control: %s', (expected, control) => {
    expect(findFact('control', { control })).toContain(expected)
  })

  it.each<[expected: string, judge: EvalResult['judge']]>([
    ['judge: not needed, rules graded every answer', null],
    [
      'judge: big; not tested with wrong answers',
      { model: 'big', is_reader: false, controls: { asked: 0, accepted: 0 } },
    ],
    [
      'judge: big, which is the model itself; took 1 of 1 wrong answer for right when tested',
      { model: 'big', is_reader: true, controls: { asked: 1, accepted: 1 } },
    ],
  ])('says %s', (expected, judge) => {
    expect(findFact('judge', { judge })).toBe(expected)
  })

  it('counts calls and gives their cost, if it is known', () => {
    expect(findFact('calls')).toBe('calls: 1,680, 900 of them stored by earlier runs; $2.89 in total')
    expect(findFact('calls', { cost: null })).toContain('cost unknown without prices')
  })
})

describe('cutText', () => {
  it('never cuts within a character', () => {
    expect(cutText('ab😀cd', 3)).toBe('ab… (3 more characters)')
    expect(cutText('ab😀c', 5)).toBe('ab😀c')
  })
})
