/** A column: its heading, and on which side its cells stand. */
export interface Column {
  readonly heading: string
  readonly align: 'left' | 'right'
}

/** Formats rows as aligned columns, two spaces between, a heading first, without trailing white space. */
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

/** Writes an integer with commas between thousands. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Writes a percentage with two decimals. */
export function formatPercent(percent: number): string {
  return `${percent.toFixed(2)} %`
}

/** Cuts a ratio after four decimals, so that it never says more than is so. */
export function cutRatio(ratio: number): number {
  return Math.floor(ratio * 10_000) / 10_000
}
