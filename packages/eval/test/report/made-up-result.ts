import type {
  ArmFigures,
  ArmName,
  DifferingQuestion,
  EvalResult,
  Grade,
  PairedFigures,
} from '../../src/types.ts'

/** Makes figures of 232 questions from the two counts of pairs that differ. */
export function makeFigures(
  only_arm: number,
  only_source: number,
  interval: readonly [number, number],
): PairedFigures {
  const questions = 232
  const both_wrong = 9
  return {
    questions,
    documents: 12,
    both_right: questions - only_arm - only_source - both_wrong,
    only_arm,
    only_source,
    both_wrong,
    difference: (only_arm - only_source) / questions,
    interval,
    method: 'score',
  }
}

export function makeArm(arm: ArmName, fields: Partial<ArmFigures> = {}): ArmFigures {
  return {
    arm,
    prompt_tokens: 31_796,
    same_prompt: false,
    right: 219,
    wrong: 13,
    undecided: 0,
    empty: 0,
    cut: 0,
    tokens: { input: 1_271_840, cached: 1_020_000, output: 18_400, reasoning: 96_000 },
    cost: 0.4123,
    cost_per_right: 0.001883,
    latency: { median: 1234, p95: 3456 },
    terms: { answers: 0, uses: 0 },
    ...fields,
  }
}

type Answers = readonly (readonly [arm: ArmName, grade: Grade, text?: string])[]

export function makeDiffering(id: string, answers: Answers, text = 'X-Tarn-Wait'): DifferingQuestion {
  return {
    question: {
      id,
      doc: 'gateway-api',
      kind: 'identifier',
      question:
        'Which response header gives the number of milliseconds to wait after a request above the rate limit?',
      answer: 'X-Tarn-Wait',
      accept: [],
      evidence: ['the header `X-Tarn-Wait` gives the number of milliseconds to wait'],
    },
    terms: [
      { term: '知', expansion: 'number of milliseconds' },
      { term: 'Δ', expansion: 'the header `X-Tarn-' },
    ],
    answers: answers.map(([arm, grade, own]) => ({
      arm,
      grade,
      by: grade === 'undecided' ? 'judge' : 'rule',
      text: own ?? text,
    })),
  }
}

/** A result with most verdicts, warnings, and differing questions of all groups. */
export function makeResult(fields: Partial<EvalResult> = {}): EvalResult {
  return {
    ok: true,
    format: 'packs-eval-1',
    date: '2026-11-28T01:02:03.000Z',
    model: 'gpt-5-mini',
    returned: ['gpt-5-mini-2025-08-07'],
    url: 'http://127.0.0.1:1234/v1',
    judge: { model: 'gpt-5-mini', is_reader: true, controls: { asked: 20, accepted: 2 } },
    margin: 5,
    together: false,
    packs: [
      {
        slug: 'gateway-api',
        version: '1.2.0',
        compression: 'dense-2',
        pack_digest: `sha256:${'a'.repeat(64)}`,
        questions: 120,
      },
      {
        slug: 'runbook',
        version: '2.0.1',
        compression: 'minify-1',
        pack_digest: `sha256:${'b'.repeat(64)}`,
        questions: 120,
      },
    ],
    questions: { asked: 240, excluded: 8, generated: false, kinds: { identifier: 120, number: 120 } },
    schemes: [
      {
        scheme: 'minify-1',
        verdict: 'as good',
        figures: makeFigures(3, 4, [-0.031, 0.022]),
        undecided_wrong: null,
        needed: null,
      },
      {
        scheme: 'dense-2',
        verdict: 'too few questions',
        figures: makeFigures(4, 10, [-0.061, 0.008]),
        undecided_wrong: makeFigures(4, 13, [-0.076, -0.003]),
        needed: 310,
      },
      {
        scheme: 'max-2',
        verdict: 'not tested',
        figures: makeFigures(2, 19, [-0.117, -0.037]),
        undecided_wrong: null,
        needed: null,
      },
    ],
    arms: [
      makeArm('source'),
      makeArm('source-again'),
      makeArm('minify-1', { prompt_tokens: 30_629, right: 218, wrong: 14 }),
      makeArm('dense-2', {
        prompt_tokens: 27_348,
        right: 210,
        wrong: 19,
        undecided: 3,
        terms: { answers: 4, uses: 6 },
      }),
      makeArm('max-2', { prompt_tokens: 25_318, right: 202, wrong: 30, empty: 2, cut: 1 }),
      makeArm('no-document', { prompt_tokens: 20, right: 8, wrong: 232 }),
      makeArm('no-header', { right: 151, wrong: 81 }),
    ],
    noise: makeFigures(3, 2, [-0.017, 0.027]),
    control: makeFigures(1, 70, [-0.359, -0.239]),
    calls: { all: 1680, stored: 900, made: 780 },
    cost: 2.8861,
    warnings: [
      'the judge is the model that was tested, and it took 2 of 20 wrong answers for right',
      'documents are fewer than 20, so the intervals are about these documents only',
    ],
    differing: [
      makeDiffering('q-other', [
        ['source', 'right'],
        ['source-again', 'wrong', 'X-Tarn-Delay'],
        ['dense-2', 'right'],
      ]),
      makeDiffering('q-better', [
        ['source', 'wrong', 'X-Wait'],
        ['source-again', 'wrong', 'X-Wait'],
        ['dense-2', 'right'],
        ['max-2', 'right'],
      ]),
      makeDiffering('q-worse', [
        ['source', 'right'],
        ['source-again', 'right'],
        ['minify-1', 'undecided', 'X-Tarn-Wait, I think.'],
        ['dense-2', 'wrong', 'X-Tarn-Delay'],
        ['max-2', 'wrong', ''],
        ['no-header', 'wrong', 'The document does not say it in words that I can read; it says Δ知.'],
      ]),
    ],
    ...fields,
  }
}
