import { styleText } from 'node:util'

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

/** Writes a line to stderr that may be a workflow command of GitHub Actions. */
export function writeCommand(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function isWorkflow(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true'
}

export function writeWarning(message: string): void {
  writeNote(`${styleNote('yellow', 'warning:')} ${escapeControls(message)}`)
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

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** Quotes a word of a shell command if necessary; it is never mistaken for an option. */
export function quotePath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path
  if (/^[\w./-]+$/.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`
}

/**
 * Formats headings and rows as aligned columns with two spaces between them and no trailing spaces.
 * @param headings a column whose heading begins with `>` is aligned to the right
 * @param least least widths of the columns, where rows follow later
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  least: readonly number[] = [],
): string[] {
  const lines = [headings.map((heading) => heading.replace(/^>/, '')), ...rows]
  const columns = headings.map((heading, at) => ({
    isRight: heading.startsWith('>'),
    width: lines.reduce((width, line) => Math.max(width, (line[at] ?? '').length), least[at] ?? 0),
  }))
  return lines.map((line) => {
    const cells = columns.map(({ isRight, width }, at) => {
      const cell = line[at] ?? ''
      return isRight ? cell.padStart(width) : cell.padEnd(width)
    })
    return cells.join('  ').trimEnd()
  })
}

/** Formats a table as {@link formatTable} does, with its headings in bold on a terminal. */
export function formatWithHeading(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const [heading = '', ...lines] = formatTable(headings, rows)
  return [styleResult('bold', heading), ...lines]
}

/** Formats an integer with commas between thousands. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

export function formatPercent(percent: number): string {
  return `${percent.toFixed(2)} %`
}

/** Formats net savings under a scheme. */
export function formatSaved(percent: number, scheme: string): string {
  return scheme === 'none' || percent === 0 ? 'none' : formatPercent(percent)
}

/** Rounds a ratio down to four decimals, so that it is never overstated. */
export function cutRatio(ratio: number): number {
  return Math.floor(ratio * 10_000) / 10_000
}
