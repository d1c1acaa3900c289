import type { EvalResult } from '../types.ts'
import { countOf, cutText, describeFacts, describeMeasurement, describeOutcome } from './describe-result.ts'
import { type Table, tabulateAnswers, tabulateSchemes, tabulateUsage } from './tabulate-result.ts'

type Style = 'bold' | 'green' | 'red' | 'yellow'

/** How the terminal of the program shows text. */
export interface ResultOutput {
  /** Aligns columns; a heading that begins with `>` aligns its column to the right. */
  readonly formatTable: (headings: readonly string[], rows: readonly (readonly string[])[]) => string[]
  readonly styleResult: (style: Style, text: string) => string
  /** Escapes control characters and those that change the writing direction. */
  readonly escapeControls: (text: string) => string
  /** Width of the terminal, from 40. */
  readonly columns: number
}

/** Shortens a count of tokens, such as to `1.23M`. */
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const MAX_WARNINGS = 4
const MAX_LENGTH = 180

/**
 * Formats a result for the terminal: verdicts, differences with their intervals, and what each arm
 * answered and cost.
 *
 * @returns lines without their ends; only tables may be wider than the terminal
 * @example
 * for (const line of formatResult(result, terminal)) console.log(line)
 */
export function formatResult(result: EvalResult, output: ResultOutput): string[] {
  const say = (text: string): string[] => wrapText(output.escapeControls(text), output.columns)
  const paint = (word: string, style: Style, text: string): string[] => {
    const [line = '', ...more] = say(text)
    return [line.replace(word, output.styleResult(style, word)), ...more]
  }
  const tabulate = ({ headings, rows }: Table): string[] => {
    const [heading = '', ...lines] = output.formatTable(headings, rows)
    return [output.styleResult('bold', heading), ...lines]
  }
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
    ...tabulate(tabulateUsage(result, (count) => SHORT.format(count))),
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
