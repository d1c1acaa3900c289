import type { Totals } from '../calls/run-calls.ts'
import { priceTokens } from '../calls/call-store.ts'
import { countTerms } from '../grading/grade-by-rule.ts'
import { comparePairs, decideSchemes, type GradedPair, MARGIN } from '../statistics/compare-pairs.ts'
import type {
  ArmFigures,
  ArmName,
  BilledTokens,
  DifferingQuestion,
  EvalResult,
  Grade,
  PairedFigures,
} from '../types.ts'
import type { ArmAnswer, EvalRun } from './prepare-run.ts'
import { isJudgeUsable } from '../grading/grade-answers.ts'

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
    MARGIN,
  )
  const names: readonly ArmName[] = ['source', 'source-again', ...schemes, 'no-header', 'no-document']
  const arms = names.map((arm) => describeArm(arm, run, byArm.get(arm) ?? []))
  const control = byArm.has('no-header') ? compare('no-header') : null
  const dates = answers.map(({ answer }) => answer.at).toSorted()
  const doubts = findDoubts(arms, judge, questions.length - known.size)
  return {
    ok: true,
    format: 'packs-eval-1',
    date: dates.at(-1)!,
    model: run.model,
    returned: [...new Set(answers.map(({ answer }) => answer.returned))].toSorted(),
    url: run.url,
    judge,
    margin: MARGIN,
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

function sumTokens(answers: readonly ArmAnswer[]): BilledTokens {
  const sum = (name: keyof BilledTokens): number | null => {
    const counts = answers.flatMap(({ answer }) => answer.tokens[name] ?? [])
    return counts.length === 0 ? null : counts.reduce((all, one) => all + one, 0)
  }
  return { input: sum('input'), cached: sum('cached'), output: sum('output'), reasoning: sum('reasoning') }
}

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

/** A reader who answers fewer from the source cannot show that a pack is as good. */
const LEAST_RIGHT = 0.5
/** Share of answers from which empty or cut ones are worth a warning. */
const MANY = 0.02
/** Share of undecided answers from which the judge is worth a warning. */
const UNSURE = 0.1

/** Lists why the figures give no verdict: the test could not have found a loss. */
function findDoubts(
  arms: readonly ArmFigures[],
  judge: EvalResult['judge'],
  questions: number,
): readonly string[] {
  const { right, undecided, wrong, empty } = arms[0]!
  const all = right + undecided + wrong
  const doubts: string[] = []
  if (questions === 0)
    doubts.push('the model answers every question without the document, so none tests what it reads.')
  if (right + undecided < LEAST_RIGHT * all) {
    const nothing = empty > all / 2 ? ` (${empty} answers are empty)` : ''
    doubts.push(
      `from the source itself the model answers only ${right} of ${all} questions${nothing}, so a loss could not show. Ask easier questions, or a larger model.`,
    )
  }
  const { asked, accepted } = judge?.controls ?? { asked: 0, accepted: 0 }
  const taken = `took ${accepted} of ${asked} wrong answers for right`
  if (!isJudgeUsable(asked, accepted))
    doubts.push(`the judge ${judge!.model} ${taken}. Name another with --judge.`)
  return doubts.map((doubt) => `No verdict: ${doubt}`)
}

function listWarnings(
  { schemes, model, url, isGenerated, units }: EvalRun,
  arms: readonly ArmFigures[],
  control: PairedFigures | null,
  answers: readonly ArmAnswer[],
  judge: EvalResult['judge'],
): readonly string[] {
  const warnings: string[] = []
  const returned = [...new Set(answers.map(({ answer }) => answer.returned))]
  if (returned.length > 1)
    warnings.push(`Several models answered to the name ${model}: ${returned.slice(0, 5).join(', ')}.`)
  const urls = new Set(answers.map(({ answer }) => answer.url))
  if (urls.size > 1 || !urls.has(url)) warnings.push('Some of the stored answers came from another URL.')
  if (control !== null && control.interval[1] >= 0)
    warnings.push(
      'Without the header, answers are not measurably worse: these questions do not show whether the model reads terms.',
    )
  const list = (name: 'empty' | 'cut'): readonly string[] =>
    arms.flatMap(({ arm, [name]: count, right, wrong, undecided: open }) =>
      count > MANY * (right + wrong + open) ? `${count} of ${right + wrong + open} in ${arm}` : [],
    )
  if (list('empty').length > 0) warnings.push(`Empty answers count as wrong: ${list('empty').join(', ')}.`)
  if (list('cut').length > 0)
    warnings.push(`Answers were cut at the limit of tokens: ${list('cut').join(', ')}.`)
  const writing = arms.filter(({ arm, terms }) => terms.answers > 0 && arm !== 'no-document')
  if (writing.length > 0) {
    const counts = writing.map(({ arm, terms }) => `${terms.answers} under ${arm}`).join(', ')
    warnings.push(`The model wrote terms in answers (${counts}): pass what it writes through decodeAnswer.`)
  }
  warnings.push(...checkUsage(answers))
  const partly = schemes.flatMap((scheme) => {
    const same = units.filter(({ prompts }) => prompts.get(scheme) === undefined)
    return same.length === 0 || same.length === units.length
      ? []
      : [`${scheme} writes the source of ${same.flatMap(({ slugs }) => slugs).length} documents`]
  })
  if (partly.length > 0)
    warnings.push(`${partly.join(', ')}; their questions are not in the figures of that scheme.`)
  const judged = answers.filter(({ by }) => by === 'judge')
  const undecided = judged.filter(({ grade }) => grade === 'undecided').length
  const unsure = `${undecided} of ${judged.length}`
  if (undecided > UNSURE * judged.length)
    warnings.push(`The judge contradicts itself or gives no verdict about ${unsure} answers.`)
  if (judge?.is_reader) warnings.push('The model judged its own answers; name another judge with --judge.')
  if (isGenerated)
    warnings.push('The questions were written by a model: read them before relying on the result.')
  return warnings
}

/** Compares what the endpoint reports as input with what the prompts have. */
function checkUsage(answers: readonly ArmAnswer[]): readonly string[] {
  const known = answers.filter(({ answer }) => answer.tokens.input !== null)
  if (known.length < answers.length)
    return [
      `The endpoint reported no tokens for ${answers.length - known.length} answers; costs are too low.`,
    ]
  const reported = known.reduce((sum, { answer }) => sum + answer.tokens.input!, 0)
  const counted = known.reduce((sum, { unit, arm }) => sum + (unit.prompts.get(arm)?.tokens ?? 0), 0)
  if (reported > counted / 2 && reported < 2 * counted + 200 * known.length) return []
  return [`The endpoint reports ${reported} tokens of input where the prompts have about ${counted}.`]
}
