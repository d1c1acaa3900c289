/**
 * Formats headings and rows as aligned columns with two spaces between them and no trailing spaces.
 *
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

/** Formats an integer with commas between thousands. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Formats a percentage with two decimals. */
export function formatPercent(percent: number): string {
  return `${percent.toFixed(2)} %`
}

/** Rounds a ratio down to four decimals, so that it is never overstated. */
export function cutRatio(ratio: number): number {
  return Math.floor(ratio * 10_000) / 10_000
}
