import type { Host } from '@packs/server'
import { BUILD_SECONDS_HELP, parseCount, readBuildSeconds } from '../input/options.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { startProgress } from '../output/progress.ts'
import { describeError } from '../output/report-error.ts'
import {
  escapeControls,
  formatCount,
  formatTable,
  readColumns,
  styleResult,
  writeJson,
  writeLine,
  writeResult,
  writeStyled,
} from '../output/terminal.ts'

export const host: Host = {
  parseCount,
  readBuildSeconds,
  buildSecondsHelp: BUILD_SECONDS_HELP,
  writeResult,
  writeJson,
  writeLine,
  writeNote: writeStyled,
  styleResult,
  escapeControls,
  formatTable,
  formatCount,
  readColumns,
  startProgress,
  toDiagnostic,
  describeError,
}
