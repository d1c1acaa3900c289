/** Heading and alignment of a column. */
export interface Column {
  readonly heading: string
  readonly align: 'left' | 'right'
  /** Least width in characters; the heading always fits. */
  readonly width?: number
}

/** Formats a heading and rows as aligned columns with two spaces between them and no trailing spaces. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const sized = columns.map((column, at) => ({
    ...column,
    width: rows.reduce((width, row) => Math.max(width, (row[at] ?? '').length), measureColumn(column)),
  }))
  return [columns.map(({ heading }) => heading), ...rows].map((row) => formatRow(sized, row))
}

/** Formats one row in columns whose widths are known. */
export function formatRow(columns: readonly Column[], cells: readonly string[]): string {
  return columns
    .map((column, at) => {
      const cell = cells[at] ?? ''
      return column.align === 'right'
        ? cell.padStart(measureColumn(column))
        : cell.padEnd(measureColumn(column))
    })
    .join('  ')
    .trimEnd()
}

function measureColumn({ heading, width = 0 }: Column): number {
  return Math.max(heading.length, width)
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
