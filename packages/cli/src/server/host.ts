import type { Host } from '@packs/server'
import { BUILD_SECONDS_HELP, readBuildSeconds } from '../input/build-seconds.ts'
import { findSources } from '../input/find-sources.ts'
import { parseCount } from '../input/option-values.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import { toDiagnostic, writeDiagnostics } from '../output/diagnostic.ts'
import { formatCount, formatTable } from '../output/format-table.ts'
import { startProgress, startProgressBar } from '../output/progress.ts'
import { describeError } from '../output/report-error.ts'
import {
  escapeControls,
  styleNote,
  styleResult,
  writeJson,
  writeNote,
  writeResult,
} from '../output/terminal.ts'
import { makeFolder } from '../output/write-file.ts'

/** Input, output and errors of this program, for the commands of `@packs/server`. */
export const host: Host = {
  findSources,
  readSource: ({ path, shown }) => readBounded(path, MAX_SOURCE_BYTES, shown),
  makeFolder,
  parseCount,
  readBuildSeconds,
  buildSecondsHelp: BUILD_SECONDS_HELP,
  writeResult,
  writeJson,
  writeNote,
  styleResult,
  styleNote,
  escapeControls,
  formatTable,
  formatCount,
  startProgress,
  startProgressBar,
  toDiagnostic,
  writeDiagnostics,
  describeError,
}
