import type { SourceGuard } from '../output/guard-sources.ts'
import type { SharedRosetta } from './share-rosetta.ts'
import { writeInto, type WriteTarget } from './write-packs.ts'

/** A shared header, and what became of its file. */
export interface WrittenRosetta extends SharedRosetta {
  /** Path of the header, relative where that is short; null where none is to be written. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run'
}

/**
 * Writes the header as `<domain>.rosetta` beside the packs, to the byte as `parseRosetta` reads it.
 *
 * @throws CliError `output_failed`, `file_exists`
 */
export function writeShared(shared: SharedRosetta, target: WriteTarget, guard: SourceGuard): WrittenRosetta {
  if (target.isDryRun) return { ...shared, file: null, status: 'dry-run' }
  return { ...shared, ...writeInto(target, `${shared.domain}.rosetta`, shared.rosetta, guard) }
}
