import type { ArmFigures, EvalResult, PairedFigures } from '../types.ts'
import { formatDollars, formatInterval, formatPoints, nameArm } from './describe-result.ts'

/** A table; a heading that begins with `>` is that of a column of numbers. */
export interface Table {
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/**
 * Tabulates how the schemes compare with the source. Where answers are undecided, a second row
 * takes them for wrong.
 */
export function tabulateSchemes(result: EvalResult): Table {
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
export function tabulateAnswers(result: EvalResult): Table {
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

/**
 * Tabulates the tokens that the endpoint billed, the time and the cost of the arms.
 *
 * @param count formats a count of tokens
 */
export function tabulateUsage(result: EvalResult, count: (tokens: number) => string): Table {
  const show = (tokens: number | null): string | null => (tokens === null ? null : count(tokens))
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
