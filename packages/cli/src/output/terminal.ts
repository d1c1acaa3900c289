import { stripVTControlCharacters, styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

export function writeResult(text: string | Uint8Array): void {
  process.stdout.write(text)
}

/** Writes text of a document; on a terminal, without control characters but tabs and line ends. */
export function writeText(text: string): void {
  writeResult(process.stdout.isTTY ? text.replace(/[^\t\r\n]+|\r(?!\n)/g, escapeControls) : text)
}

/** In its strings an escape means the character. */
export function writeJson(value: unknown): void {
  writeText(`${JSON.stringify(value, null, 2)}\n`)
}

/** In GitHub Actions it is never a workflow command, whatever file name it begins with. */
export function writeNote(line: string): void {
  writeCommand(isWorkflow() ? line.replace(/^([ \t]*):(?=:)/gm, '$1: ') : line)
}

/** Writes a line that may have styles to stdout, wrapped to the terminal. */
export function writeLine(line: string, indent?: string): void {
  writeResult(`${wrapText(line, readColumns(), indent)}\n`)
}

export function writeWrapped(line: string): void {
  writeStyled(escapeControls(line))
}

/** Writes a line that may have styles to stderr, wrapped to the terminal. */
export function writeStyled(line: string): void {
  writeNote(wrapText(line, readColumns(process.stderr)))
}

/** Writes a line to stderr that may be a workflow command of GitHub Actions. */
export function writeCommand(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function isWorkflow(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true'
}

export function writeWarning(message: string): void {
  writeStyled(`${styleNote('yellow', 'warning:')} ${escapeControls(message)}`)
}

/** Styles text for stdout; returns it plain if stdout is not a terminal or color is off. */
export function styleResult(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** Styles text for stderr; returns it plain if stderr is not a terminal or color is off. */
export function styleNote(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}

/**
 * Keeps a file name or a quoted text from breaking a line or moving the cursor, and in GitHub
 * Actions from beginning a command, which `##[` does anywhere in a line.
 */
export function escapeControls(text: string): string {
  const escaped = text.replace(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return LETTERS.get(character) ?? `\\u${code}`
  })
  return isWorkflow() ? escaped.replaceAll('##[', '## [') : escaped
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }),
)

/** Quotes a word of a shell command if necessary; it is never mistaken for an option. */
export function quotePath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path
  if (/^[\w./-]+$/.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`
}

/** Columns of a terminal, or of `COLUMNS`; no limit elsewhere: pipes get everything. */
export function readColumns(stream: NodeJS.WriteStream = process.stdout): number {
  const given = /^[1-9]\d{0,3}$/.test(process.env['COLUMNS'] ?? '') ? Number(process.env['COLUMNS']) : 0
  return Math.max(20, given || (stream.isTTY && stream.columns) || Infinity)
}

/** Letters that take two columns: those of East Asia, and emoji. */
const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{Emoji}\uFE0F)/u
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** Keeps a text from reordering the line of a terminal that it is in. */
export function isolate(text: string, columns: number = readColumns()): string {
  return columns < Infinity && RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

function splitSigns(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

function measureSign(sign: string): number {
  return WIDE.test(sign) ? 2 : /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(sign) ? 0 : 1
}

/** Counts the columns that a text without line ends takes; styles take none. */
export function measureText(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return splitSigns(stripVTControlCharacters(text)).reduce((sum, sign) => sum + measureSign(sign), 0)
}

/** Cuts the middle out of a text that is too wide. */
export function cutMiddle(text: string, columns: number): string {
  if (measureText(text) <= columns) return text
  const signs = splitSigns(text)
  const countFitting = (list: readonly string[], room: number): number => {
    let left = room
    const end = list.findIndex((sign) => (left -= measureSign(sign)) < 0)
    return end < 0 ? list.length : end
  }
  const head = countFitting(signs, Math.ceil((columns - 1) / 2))
  const tail = countFitting(signs.toReversed(), Math.floor((columns - 1) / 2))
  return `${signs.slice(0, head).join('')}…${signs.slice(signs.length - tail).join('')}`
}

/** Wraps a line between words, but not before a `%` or after `-o`; further lines are indented. */
export function wrapText(text: string, columns: number, indent = '  '): string {
  if (measureText(text) <= columns) return text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S)(?<!(?:^|[ (])-\w) (?!%)/)) {
    const next = line === '' ? word : `${line} ${word}`
    if (line === '' || measureText(next) <= columns) line = next
    else {
      lines.push(line.trimEnd())
      line = indent + word.trimStart()
    }
  }
  return [...lines, line].join('\n')
}

/** Least width of a column of text that is cut, so that names stay readable. */
const LEAST_COLUMN = 16

/**
 * Formats headings and rows as aligned columns with two spaces between them and no trailing spaces.
 * Texts that do not fit are cut, the widest column first, and then the last columns are omitted.
 * @param headings a column whose heading begins with `>` is aligned to the right and never cut, one
 *   with `=` is never cut
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = readColumns(),
): string[] {
  const isRight = headings.map((heading) => heading.startsWith('>'))
  const isWhole = headings.map((heading) => /^[>=]/.test(heading))
  const lines = [headings.map((heading) => heading.replace(/^[>=]/, '')), ...rows]
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => measureText(line[at] ?? ''))))
  const addUp = (list: readonly number[]): number => list.reduce((sum, width) => sum + width + 2, -2)
  const limit = Math.min(LEAST_COLUMN, columns / 2)
  const least = widths.map((width, at) => (isWhole[at] ? width : Math.min(width, limit)))
  while (widths.length > 1 && addUp(least.slice(0, widths.length)) > columns) widths.pop()
  for (let over = addUp(widths) - columns; over > 0; over--) {
    const cut = widths.map((width, at) => (width > least[at]! ? width : 0))
    const widest = cut.indexOf(Math.max(...cut))
    if (cut[widest] === 0) break
    widths[widest]!--
  }
  return lines.map((line, index) => {
    const cells = widths.map((width, at) => {
      const cell = isWhole[at] ? (line[at] ?? '') : cutMiddle(line[at] ?? '', width)
      const space = ' '.repeat(Math.max(0, width - measureText(cell)))
      return isRight[at] ? space + isolate(cell, columns) : isolate(cell, columns) + space
    })
    const text = cells.join('  ').trimEnd()
    return index === 0 ? styleResult('bold', text) : text
  })
}

/** A bar like `███████▌░░` of what is paid and saved, which is full only if nothing is saved. */
export function formatBar(savedPercent: number): string {
  const eighths = Math.min(savedPercent > 0 ? 79 : 80, Math.max(0, Math.round(80 - savedPercent * 0.8)))
  const part = '▏▎▍▌▋▊▉'.charAt((eighths % 8) - 1)
  return '█'.repeat(eighths / 8) + part + styleResult('green', '░'.repeat(10 - Math.ceil(eighths / 8)))
}

/** Formats an integer with commas between thousands. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Such as `1 pack` and `1,000 packs`. */
export function formatNumber(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function formatPercent(percent: number): string {
  return `${percent.toFixed(1).replace(/^-(0\.0)$/, '$1')} %`
}

/** Rounds a ratio down to four decimals, so that it is never overstated. */
export function cutRatio(ratio: number): number {
  return Math.floor(ratio * 10_000) / 10_000
}
