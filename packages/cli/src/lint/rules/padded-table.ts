import { isRowKind, LineKind } from '@packs/codec/markdown'
import { formatCount } from '../../output/terminal.ts'
import type { LintDocument, Location } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

/** Padding of a document that costs less is not worth a message. */
const LEAST_TOKENS = 20
/** Padding of one table that does not count. */
const LEAST_OF_TABLE = 5

export const paddedTable: Rule = {
  name: 'padded-table',
  severity: 'info',
  summary: 'tables whose columns are aligned with spaces',
  reason:
    'Every filled-up cell costs a token in each reading of the pack, and the rendered table is the same without.',
  bad: '| key     | means                   |\n| ------- | ----------------------- |\n| a       | the first               |',
  good: '| key | means |\n| --- | --- |\n| a | the first |',
  createCheck: () => ({ visit: findPadding }),
}

/** Returns one finding for all tables of a document: who corrects one corrects all. */
function findPadding(document: LintDocument): Finding[] {
  const { lines, skipped, text, locate, countTokens } = document
  const { kinds, starts, ends, count } = lines
  const places: Location[] = []
  let saves = 0
  for (let line = 0; line < count; line++) {
    if (kinds[line] !== LineKind.tableHeader || skipped[line] === 1) continue
    const first = line
    while (line + 1 < count && isTableLine(kinds[line + 1]!)) line++
    const rows: string[] = []
    for (let row = first; row <= line; row++)
      rows.push(unpad(text.slice(starts[row], ends[row]), kinds[row] === LineKind.tableDelimiter))
    const written = text.slice(starts[first], ends[line])
    const unpadded = rows.join('\n')
    if (unpadded.length === written.length) continue
    const saved = countTokens(written) - countTokens(unpadded)
    if (saved < LEAST_OF_TABLE) continue
    saves += saved
    places.push(locate(starts[first]!))
  }
  if (saves < LEAST_TOKENS) return []
  const tables = places.length === 1 ? 'A table is' : `${places.length} tables are`
  return [
    {
      message: `${tables} padded with spaces: ${formatCount(saves)} tokens`,
      hint: 'Write one space at each side of a cell and three dashes in the delimiter row, and let no formatter align tables.',
      places,
      saves,
    },
  ]
}

function isTableLine(kind: number): boolean {
  return isRowKind(kind) || kind === LineKind.tableDelimiter
}

/** Shortens runs of spaces outside of code, and the dashes of a delimiter row to three. */
function unpad(row: string, isDelimiter: boolean): string {
  const body = row.trimEnd()
  if (isDelimiter) return body.replace(/-{4,}/g, '---').replace(/(?<=\S)[ \t]{2,}/g, ' ')
  return body.replace(/(?<![ \t])[ \t]{2,}(?=\|)|(?<=\|)[ \t]{2,}/g, ' ').replace(/(?<![ \t])[ \t]{2,}$/, ' ')
}
