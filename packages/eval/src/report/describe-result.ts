import type {
  ArmName,
  EvalResult,
  Host,
  Interval,
  PairedFigures,
  SchemeOutcome,
  Verdict,
  ArmFigures,
} from '../types.ts'

const MAX_NAME_LENGTH = 60

/** Such as `gpt-5-mini on 2026-11-28: 232 questions on 12 documents, margin 5 points`. */
export function describeMeasurement(result: EvalResult): string {
  const { model, noise, questions, returned } = result
  const [name, ...others] = [model, ...returned.filter((other) => other !== model).slice(0, 3)].map((text) =>
    cutText(text, MAX_NAME_LENGTH),
  )
  const answered = others.length === 0 ? '' : ` (answered as ${others.join(', ')})`
  const excluded = `, ${questions.excluded} of ${questions.asked} excluded because it knew the answer without a document`
  return `${name}${answered} on ${result.date.slice(0, 10)}: ${countOf(noise.questions, 'question')}${questions.generated ? ', written by a model,' : ''} on ${countOf(noise.documents, 'document')}${result.together ? ' in one prompt' : ''}, margin ${countOf(result.margin, 'percentage point')}${questions.excluded === 0 ? '' : excluded}`
}

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

/** Says what noise does, whether the test can fail, who graded, and how many calls there were. */
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
function formatPoints(share: number): string {
  const text = Math.abs(100 * share).toFixed(1)
  return text === '0.0' ? text : `${share < 0 ? '−' : '+'}${text}`
}

function formatInterval([low, high]: Interval): string {
  return `${formatPoints(low)} to ${formatPoints(high)}`
}

function formatDollars(dollars: number | null): string | null {
  if (dollars === null) return null
  const decimals = dollars === 0 || dollars >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(dollars)))
  return `$${dollars.toFixed(decimals)}`
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Names an arm as people say it: `source again`. */
function nameArm(arm: ArmName): string {
  return /^(?:source-again|no-)/.test(arm) ? arm.replace('-', ' ') : arm
}

/** Cuts a text after a number of UTF-16 units, never within a character, and says so. */
export function cutText(text: string, length: number): string {
  const omitted = text.length - length
  if (omitted <= 0) return text
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}… (${countOf(omitted, 'more character')})`
}

/** A table; a heading that begins with `>` is that of a column of numbers. */
interface Table {
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Where answers are undecided, a second row takes them for wrong. */
function tabulateSchemes(result: EvalResult): Table {
  const headings = ['scheme', 'verdict', '>points', '>95 % interval', '>differ', '>saved']
  const show = (figures: PairedFigures | null): string[] => {
    if (figures === null) return ['–', '–', '–']
    const { difference, interval, only_arm: more, only_source: less } = figures
    return [formatPoints(difference), formatInterval(interval), `+${more} −${less}`]
  }
  const rows = result.schemes.flatMap(({ scheme, verdict, figures, undecided_wrong: strict }) => {
    const row = [scheme, verdict, ...show(figures), formatSaving(result, scheme)]
    return strict === null ? [row] : [row, [scheme, 'undecided as wrong', ...show(strict), '']]
  })
  return { headings, rows }
}

/** Formats the tokens that the prompts of a scheme save against those of the source: `13.9 %`. */
function formatSaving({ arms }: EvalResult, scheme: string): string {
  const [source, own] = ['source', scheme].map((name) => arms.find(({ arm }) => arm === name)?.prompt_tokens)
  if (!source || own === undefined) return '–'
  return `${formatPoints(1 - own / source).replace('+', '')} %`
}

/** A column, and what it has for an arm; null where that is none or unknown. */
type Column = readonly [heading: string, show: (arm: ArmFigures) => string | number | null]

/** Tabulates how the answers of the arms were graded, and how many have terms of the header. */
function tabulateAnswers(result: EvalResult): Table {
  return tabulateArms(result, [
    ['>right', ({ right, wrong, undecided }) => `${right} of ${right + wrong + undecided}`],
    ['>undecided', ({ undecided }) => undecided || null],
    ['>empty', ({ empty }) => empty || null],
    ['>cut off', ({ cut }) => cut || null],
    ['>with terms', ({ terms }) => terms.answers || null],
    ['>terms', ({ terms }) => terms.uses || null],
    ['>cost per right', ({ cost_per_right: cost }) => formatDollars(cost)],
  ])
}

/** Shortens a count of tokens, such as to `1.23M`. */
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })

function tabulateUsage(result: EvalResult): Table {
  const show = (tokens: number | null): string | null => (tokens === null ? null : SHORT.format(tokens))
  return tabulateArms(result, [
    ['>billed in', ({ tokens }) => show(tokens.input)],
    ['>cached', ({ tokens }) => show(tokens.cached)],
    ['>out', ({ tokens }) => show(tokens.output)],
    ['>reasoning', ({ tokens }) => show(tokens.reasoning)],
    ['>seconds', ({ latency }) => latency && (latency.median / 1000).toFixed(1)],
    ['>95th percentile', ({ latency }) => latency && (latency.p95 / 1000).toFixed(1)],
    ['>cost', ({ cost }) => formatDollars(cost)],
  ])
}

/** Tabulates the arms that were asked, without columns that would be empty. */
function tabulateArms({ arms }: EvalResult, columns: readonly Column[]): Table {
  const asked = arms.filter((arm) => !arm.same_prompt)
  const used = columns.filter(([, show]) => asked.some((arm) => show(arm) !== null))
  const rows = asked.map((arm) => [nameArm(arm.arm), ...used.map(([, show]) => String(show(arm) ?? '–'))])
  return { headings: ['arm', ...used.map(([heading]) => heading)], rows }
}

type ResultOutput = Pick<Host, 'formatTable' | 'styleResult' | 'escapeControls' | 'columns'>

const MAX_WARNINGS = 4
const MAX_LENGTH = 180

/** Formats lines without their ends; only tables may be wider than the terminal. */
export function formatResult(result: EvalResult, output: ResultOutput): string[] {
  const say = (text: string): string[] => wrapText(output.escapeControls(text), output.columns)
  const paint = (word: string, style: Parameters<Host['styleResult']>[0], text: string): string[] => {
    const [line = '', ...more] = say(text)
    return [line.replace(word, output.styleResult(style, word)), ...more]
  }
  const tabulate = ({ headings, rows }: Table): string[] => output.formatTable(headings, rows)
  const warnings = result.warnings.slice(0, MAX_WARNINGS)
  const omitted = result.warnings.length - warnings.length
  return [
    ...say(describeMeasurement(result)),
    '',
    ...tabulate(tabulateSchemes(result)),
    ...say(
      'A point is one more right answer in 100. Differ: right only with the scheme, only from the source.',
    ),
    '',
    ...result.schemes.flatMap((outcome) => {
      const style = outcome.verdict === 'as good' ? 'green' : outcome.verdict === 'worse' ? 'red' : 'yellow'
      return paint(outcome.verdict, style, describeOutcome(outcome, result))
    }),
    '',
    ...tabulate(tabulateAnswers(result)),
    '',
    ...tabulate(tabulateUsage(result)),
    '',
    ...describeFacts(result).flatMap(say),
    ...warnings.flatMap((text) => paint('warning:', 'yellow', `warning: ${cutText(text, MAX_LENGTH)}`)),
    ...(omitted > 0 ? [`${countOf(omitted, 'more warning')} in the JSON`] : []),
  ]
}

/** Wraps a text between words, and within very long ones, and indents its other lines. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((part) => splitWord(part, width - 2))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function splitWord(word: string, width: number): string[] {
  const signs = Array.from(word)
  const count = Math.max(1, Math.ceil(signs.length / width))
  return Array.from({ length: count }, (_, at) => signs.slice(at * width, (at + 1) * width).join(''))
}
