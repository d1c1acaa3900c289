import type { Totals } from '../calls/run-calls.ts'
import { priceTokens } from '../calls/prices.ts'
import { countTerms } from '../grading/answer-words.ts'
import { comparePairs } from '../statistics/compare-pairs.ts'
import { decideSchemes, type GradedPair } from '../statistics/decide-schemes.ts'
import type { ArmFigures, ArmName, BilledTokens, DifferingQuestion, EvalResult } from '../types.ts'
import type { Grade, PairedFigures } from '../types.ts'
import { findDoubts, listWarnings } from './list-warnings.ts'
import type { ArmAnswer, EvalRun } from './prepare-run.ts'

/** Computes all figures of an evaluation. */
export function collectResult(
  run: EvalRun,
  answers: readonly ArmAnswer[],
  judge: EvalResult['judge'],
  { cost, ...calls }: Totals,
): EvalResult {
  const { documents, questions, schemes, prices } = run
  const byArm = Map.groupBy(answers, ({ arm }) => arm)
  const unaided = byArm.get('no-document')!.filter(({ grade }) => grade === 'right')
  const known = new Set(unaided.map(({ question }) => question))
  const fromSource = new Map(byArm.get('source')!.map(({ question, grade }) => [question, grade]))
  const pair = (arm: ArmName): readonly GradedPair[] =>
    (byArm.get(arm) ?? [])
      .filter(({ question }) => !known.has(question))
      .map(({ question, grade }) => ({
        document: question.doc,
        source: fromSource.get(question)!,
        arm: grade,
      }))
  const isRight = (grade: Grade): boolean => grade !== 'wrong'
  const compare = (arm: ArmName): PairedFigures =>
    comparePairs(pair(arm).map((one) => ({ ...one, source: isRight(one.source), arm: isRight(one.arm) })))
  const decided = decideSchemes(
    schemes.map((scheme) => ({ scheme, pairs: byArm.has(scheme) ? pair(scheme) : 'same prompt' })),
    run.margin,
  )
  const names: readonly ArmName[] = ['source', 'source-again', ...schemes, 'no-header', 'no-document']
  const arms = names.map((arm) => describeArm(arm, run, byArm.get(arm) ?? []))
  const control = byArm.has('no-header') ? compare('no-header') : null
  const doubts = findDoubts(arms, judge, questions.length - known.size)
  return {
    ok: true,
    format: 'packs-eval-1',
    date: answers
      .map(({ answer }) => answer.at)
      .toSorted()
      .at(-1)!,
    model: run.model,
    returned: [...new Set(answers.map(({ answer }) => answer.returned))].toSorted(),
    url: run.url,
    judge,
    margin: run.margin,
    together: run.isTogether,
    packs: documents.map(({ pack: { slug, version, compression, pack_digest } }) => {
      const asked = questions.filter(({ doc }) => doc === slug).length
      return { slug, version, compression, pack_digest, questions: asked }
    }),
    questions: {
      asked: questions.length,
      excluded: known.size,
      generated: run.isGenerated,
      kinds: Object.fromEntries(
        [...Map.groupBy(questions, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]),
      ),
    },
    schemes: decided.map((outcome) =>
      doubts.length === 0 || outcome.verdict === 'same prompt'
        ? outcome
        : { ...outcome, verdict: 'no verdict', needed: null },
    ),
    arms,
    noise: compare('source-again'),
    control,
    calls,
    cost: prices === undefined ? null : cost,
    warnings: [...doubts, ...listWarnings(run, arms, control, answers, judge)],
    differing: listDiffering(answers),
  }
}

function describeArm(arm: ArmName, { units, prices }: EvalRun, answers: readonly ArmAnswer[]): ArmFigures {
  const count = (isCounted: (one: ArmAnswer) => boolean): number => answers.filter(isCounted).length
  const right = count(({ grade }) => grade === 'right')
  const tokens = sumTokens(answers)
  const isPriced = prices !== undefined && answers.length > 0 && tokens.input !== null
  const cost = isPriced ? priceTokens(tokens, prices) : null
  const times = answers.map(({ answer }) => answer.milliseconds).toSorted((a, b) => a - b)
  const quantile = (share: number): number => times[Math.floor(share * (times.length - 1))]!
  const uses = answers.map(({ question, answer, unit }) =>
    countTerms(answer.text, unit.prompts.get(arm)?.rosetta ?? '[DECODE]', question),
  )
  return {
    arm,
    prompt_tokens: units.reduce((sum, { prompts }) => {
      const prompt = prompts.get(arm) ?? (arm === 'no-document' ? undefined : prompts.get('source'))
      return sum + (prompt?.tokens ?? 0)
    }, 0),
    same_prompt: answers.length === 0,
    right,
    wrong: count(({ grade }) => grade === 'wrong'),
    undecided: count(({ grade }) => grade === 'undecided'),
    empty: count(({ answer }) => answer.text.trim() === ''),
    cut: count(({ answer }) => answer.finish === 'length'),
    tokens,
    cost,
    cost_per_right: cost === null || right === 0 ? null : cost / right,
    latency: times.length === 0 ? null : { median: quantile(0.5), p95: quantile(0.95) },
    terms: { answers: uses.filter((one) => one > 0).length, uses: uses.reduce((sum, one) => sum + one, 0) },
  }
}

/** Adds up tokens; null where no answer reports them. */
function sumTokens(answers: readonly ArmAnswer[]): BilledTokens {
  const sum = (name: keyof BilledTokens): number | null => {
    const counts = answers.flatMap(({ answer }) => answer.tokens[name] ?? [])
    return counts.length === 0 ? null : counts.reduce((all, one) => all + one, 0)
  }
  return { input: sum('input'), cached: sum('cached'), output: sum('output'), reasoning: sum('reasoning') }
}

/** Most terms that are named with a question. */
const MAX_TERMS = 20

function listDiffering(answers: readonly ArmAnswer[]): readonly DifferingQuestion[] {
  return [...Map.groupBy(answers, ({ question }) => question)].flatMap(([question, own]) => {
    const compared = own.filter(({ arm }) => arm !== 'no-document' && arm !== 'no-header')
    if (new Set(compared.map(({ grade }) => grade)).size < 2) return []
    const terms = own[0]!.unit.terms.filter(({ expansion }) =>
      question.evidence.some((one) => one.includes(expansion)),
    )
    return {
      question,
      terms: terms.toSorted((a, b) => b.expansion.length - a.expansion.length).slice(0, MAX_TERMS),
      answers: own.map(({ arm, grade, by, answer }) => ({ arm, grade, by, text: answer.text })),
    }
  })
}
