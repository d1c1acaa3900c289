import type { ArmName, EvalResult, Interval, PairedFigures, SchemeOutcome, Verdict } from '../types.ts'

const MAX_NAME_LENGTH = 60

/**
 * Describes what was measured, for the first line of a report.
 *
 * @example
 * 'gpt-5-mini (answered as gpt-5-mini-2025) on 2026-11-28: 232 questions on 12 documents, …'
 */
export function describeMeasurement(result: EvalResult): string {
  const { model, noise, questions, returned } = result
  const [name, ...others] = [model, ...returned.filter((other) => other !== model).slice(0, 3)].map((text) =>
    cutText(text, MAX_NAME_LENGTH),
  )
  const answered = others.length === 0 ? '' : ` (answered as ${others.join(', ')})`
  const excluded = `, ${questions.excluded} of ${questions.asked} excluded because it knew the answer without a document`
  return `${name}${answered} on ${result.date.slice(0, 10)}: ${countOf(noise.questions, 'question')}${questions.generated ? ', written by a model,' : ''} on ${countOf(noise.documents, 'document')}${result.together ? ' in one prompt' : ''}, margin ${countOf(result.margin, 'percentage point')}${questions.excluded === 0 ? '' : excluded}`
}

/** Says in a sentence what the verdict on a scheme means. */
export function describeOutcome(outcome: SchemeOutcome, { schemes, margin }: EvalResult): string {
  const { scheme, verdict, figures, needed } = outcome
  const [low, high] = figures?.interval ?? [0, 0]
  const within = `as good as the source within ${countOf(margin, 'point')}`
  const earlier = schemes.slice(0, schemes.indexOf(outcome))
  const first = earlier.find((other) => !['as good', 'same prompt'].includes(other.verdict))
  const sentences: Readonly<Record<Verdict, string>> = {
    'as good':
      high < 0 ? `${within}, but the difference is real` : low > 0 ? `${within}, even better` : within,
    worse: 'worse than the source',
    'too few questions':
      needed === null
        ? 'too few questions, and no number would do: the difference seen is beyond the margin'
        : `too few questions; about ${formatNumber(needed)} would do if answers differ as often`,
    'not tested': `not tested, because ${first?.scheme ?? 'an earlier scheme'} ${first?.verdict === 'no verdict' ? 'has no verdict' : 'was not as good'}`,
    'same prompt': 'same prompt as the source, so there was nothing to ask',
    'no verdict': 'no verdict, for the reason in the warnings',
  }
  return `${scheme}: ${sentences[verdict]}${figures === null ? '' : `: ${describeDifference(figures)}`}`
}

/**
 * Says in a sentence each what noise does, whether the test can fail, who graded, and how many
 * calls there were.
 */
export function describeFacts({ noise, control, margin, judge, calls, cost }: EvalResult): string[] {
  const differing = `differs in ${formatNumber(noise.only_arm + noise.only_source)} of ${countOf(noise.questions, 'question')}`
  const controls =
    judge === null || judge.controls.asked === 0
      ? 'not tested with wrong answers'
      : `took ${judge.controls.accepted} of ${countOf(judge.controls.asked, 'wrong answer')} for right when tested`
  return [
    `noise: the source, asked twice, ${differing}: ${describeDifference(noise)}`,
    `control: ${control === null ? 'no scheme wrote a header, so it could not be taken away' : describeControl(control, margin)}`,
    `judge: ${judge === null ? 'not needed, rules graded every answer' : `${cutText(judge.model, MAX_NAME_LENGTH)}${judge.is_reader ? ', which is the model itself' : ''}; ${controls}`}`,
    `calls: ${formatNumber(calls.all)}, ${formatNumber(calls.stored)} of them stored by earlier runs; ${cost === null ? 'cost unknown without prices' : `${formatDollars(cost)} in total`}`,
  ]
}

function describeControl(control: PairedFigures, margin: number): string {
  const seen = describeDifference(control)
  const [low, high] = control.interval
  if (low > -margin / 100)
    return `without its header the pack is as good as the source: ${seen}. So the questions do not depend on the header, and the verdicts say little`
  return high < 0
    ? `without its header the pack is worse: ${seen}. So the test can fail, and the questions depend on the header`
    : `too few questions to tell whether they depend on the header; without it: ${seen}`
}

/** Formats a difference with its interval: `−2.1 points (−3.9 to −0.4)`. */
function describeDifference({ difference, interval }: PairedFigures): string {
  return `${formatPoints(difference)} points (${formatInterval(interval)})`
}

/** Formats a difference of shares in percentage points, with a sign: `+1.3`, `−0.4`, `0.0`. */
export function formatPoints(share: number): string {
  const text = Math.abs(100 * share).toFixed(1)
  return text === '0.0' ? text : `${share < 0 ? '−' : '+'}${text}`
}

export function formatInterval([low, high]: Interval): string {
  return `${formatPoints(low)} to ${formatPoints(high)}`
}

/** Formats dollars, with more decimals for small amounts. */
export function formatDollars(dollars: number | null): string | null {
  if (dollars === null) return null
  const decimals = dollars === 0 || dollars >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(dollars)))
  return `$${dollars.toFixed(decimals)}`
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Names an arm as people say it: `source again`. */
export function nameArm(arm: ArmName): string {
  return /^(?:source-again|no-)/.test(arm) ? arm.replace('-', ' ') : arm
}

/** Cuts a text after a number of UTF-16 units, never within a character, and says so. */
export function cutText(text: string, length: number): string {
  const omitted = text.length - length
  if (omitted <= 0) return text
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}… (${countOf(omitted, 'more character')})`
}
