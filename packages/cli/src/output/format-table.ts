/** Heading and alignment of a column. */
export interface Column {
  readonly heading: string
  readonly align: 'left' | 'right'
}

/** Formats a heading and rows as aligned columns with two spaces between them and no trailing spaces. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ heading }, at) =>
    rows.reduce((width, row) => Math.max(width, (row[at] ?? '').length), heading.length),
  )
  return [columns.map(({ heading }) => heading), ...rows].map((row) =>
    columns
      .map(({ align }, at) => {
        const cell = row[at] ?? ''
        return align === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
      })
      .join('  ')
      .trimEnd(),
  )
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
