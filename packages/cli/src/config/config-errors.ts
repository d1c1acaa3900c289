import { CliError, type Fault } from '../cli-error.ts'
import type { Position } from '../output/build-result.ts'

export interface ConfigIssue {
  /** Keys and indexes that lead to the value. */
  readonly path: readonly (string | number)[]
  /** The issue is about the key, not its value. */
  readonly isKey: boolean
  readonly message: string
  readonly hint: string
}

const HINT = 'correct it, name another one with --config, or use none with --config none'

export function configFailedError(
  shown: string,
  message: string,
  hint: string,
  position: Partial<Position> = {},
): CliError {
  const faults = [{ line: position.line ?? null, column: position.column ?? null, message, hint }]
  return new CliError('config_failed', `${shown} cannot be loaded, so nothing was done`, HINT, {
    file: shown,
    faults,
  })
}

export function invalidConfigError(
  shown: string,
  issues: readonly ConfigIssue[],
  findPosition: (issue: ConfigIssue) => Position | undefined,
): CliError {
  const faults = issues
    .map((issue): Fault => {
      const position = findPosition(issue)
      const { message, hint } = issue
      return { line: position?.line ?? null, column: position?.column ?? null, message, hint }
    })
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new CliError('invalid_config', `${shown} has ${count}, so nothing was done`, HINT, {
    file: shown,
    faults,
  })
}
