import { formatTable } from '../markdown-table.ts'
import type { Recipe } from './generate-text.ts'

/** The time of a text ÷ that of English, for one family and one column. */
export interface FamilyRow {
  readonly family: string
  readonly name: string
  readonly bytes: number
  readonly ratio: number
}

/** The slowest recipe that a search found. */
export interface SearchRow {
  readonly name: string
  readonly bytes: number
  readonly ratio: number
  readonly recipe: Recipe
}

/** Formats the tables of a run: by family and size, then what the searches found. */
export function formatSlowest(rows: readonly FamilyRow[], found: readonly SearchRow[]): string {
  const columns = [...new Set(rows.map(nameColumn))]
  const families = [...new Set(rows.map(({ family }) => family))]
  const cells = new Map(rows.map((row) => [`${row.family} ${nameColumn(row)}`, row.ratio]))
  const parts = ['# The slowest texts', INTRODUCTION]
  for (const group of groupColumns(columns)) {
    const most = group.map((column) =>
      Math.max(...families.map((family) => cells.get(`${family} ${column}`) ?? 0)),
    )
    parts.push(
      formatTable(
        ['text', ...group],
        [
          ...families.map((family) => [
            family,
            ...group.map((column) => format(cells.get(`${family} ${column}`))),
          ]),
          ['**most**', ...most.map(format)],
        ],
      ),
    )
  }
  if (found.length > 0) {
    parts.push(
      '## Found by searching',
      'The slowest text of each search. `pnpm bench:slowest --recipe JSON` times it again.',
      formatTable(
        ['scheme', 'KB', 'times English', 'recipe'],
        found.map(({ name, bytes, ratio, recipe }) => [
          name,
          String(bytes / 1000),
          format(ratio),
          `\`${JSON.stringify(recipe).replaceAll('|', '\\|')}\``,
        ]),
      ),
    )
  }
  return `${parts.join('\n\n')}\n`
}

const INTRODUCTION = `Processor time of a text ÷ that of ordinary English of the same size, timed in turn in one process, least of two rounds. The limit is 8.
The recipes of the families are in \`bench/slowest/families.ts\`.`

function nameColumn({ name, bytes }: { readonly name: string; readonly bytes: number }): string {
  return `${name}, ${bytes / 1000} KB`
}

/** Columns of one size stand in one table. */
function groupColumns(columns: readonly string[]): string[][] {
  const groups: string[][] = []
  for (const column of columns) {
    const last = groups.at(-1)
    if (last !== undefined && last.length < 4) last.push(column)
    else groups.push([column])
  }
  return groups
}

function format(ratio: number | undefined): string {
  return ratio === undefined ? '' : ratio.toFixed(1)
}
