import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { MigratorFigures } from './migrator.ts'
import type { AllWaits } from './run-with-clients.ts'

/** One program on one database. Waits are in milliseconds. */
export interface MigrationFigures extends MigratorFigures {
  readonly database: string
  readonly program: string
  readonly yardstick: AllWaits
  readonly migration: AllWaits
}

/** Formats a run as markdown. `load` is the machine's load average over fifteen minutes. */
export function formatMigrate(
  machine: BenchResults['machine'],
  load: number,
  packs: number,
  figures: readonly MigrationFigures[],
): string {
  const sections = [
    '# Migration of a catalog in use',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. ${packs.toLocaleString('en-US')} packs in the schema of step 0002, migrated to step 0005. Postgres with \`fsync=off\`. "before" migrates in one transaction. Load of the machine over fifteen minutes: ${load.toFixed(1)}; the migration, its clients and the database make up to 5 of it.`,
    '## Longest waits, in milliseconds',
    'Two readers (a list of 20 packs and a single pack in turns) and a writer (one pack a commit) of the older program, each a process, one call after the other. In brackets: the same clients without a migration, in the same run. A call that failed is repeated; its wait ends with success.',
    formatTable(
      ['database, program', 'reader', 'writer', 'failed reads', 'failed writes'],
      figures.map(({ database, program, yardstick, migration }) => [
        `${database} ${program}`,
        `${count(migration.reader.longest)} (${count(yardstick.reader.longest)})`,
        `${count(migration.writer.longest)} (${count(yardstick.writer.longest)})`,
        count(migration.reader.failures),
        count(migration.writer.failures),
      ]),
    ),
    '## Duration',
    'The longest write transactions of the migration in SQLite, in milliseconds: they hold the lock of the file. In one transaction, the index is part of it.',
    formatTable(
      ['database, program', 'seconds', 'longest batch', 'longest index'],
      figures.map((one) => [
        `${one.database} ${one.program}`,
        one.seconds.toFixed(0),
        one.database === 'SQLite' ? count(one.longestBatch) : '-',
        one.database === 'SQLite' ? count(one.longestIndex) : '-',
      ]),
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
