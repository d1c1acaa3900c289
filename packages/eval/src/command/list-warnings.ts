import { isJudgeUsable } from '../grading/judge.ts'
import type { ArmFigures, EvalResult, PairedFigures } from '../types.ts'
import type { ArmAnswer, EvalRun } from './prepare-run.ts'

/** A reader who answers fewer from the source cannot show that a pack is as good. */
const LEAST_RIGHT = 0.5
/** Share of answers from which empty or cut ones are worth a warning. */
const MANY = 0.02
/** Share of undecided answers from which the judge is worth a warning. */
const UNSURE = 0.1

/** Lists why the figures give no verdict: the test could not have found a loss. */
export function findDoubts(
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
  if (!isJudgeUsable(asked, accepted))
    doubts.push(
      `the judge ${judge!.model} took ${accepted} of ${asked} wrong answers for right. Name another with --judge.`,
    )
  return doubts.map((doubt) => `No verdict: ${doubt}`)
}

/** Lists what a reader must know before trusting the figures. */
export function listWarnings(
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
  if (undecided > UNSURE * judged.length)
    warnings.push(
      `The judge contradicts itself or gives no verdict about ${undecided} of ${judged.length} answers.`,
    )
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
