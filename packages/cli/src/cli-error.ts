import type { CodecErrorCode } from '@packs/codec'
import type { CompressErrorCode } from '@packs/codec/compress'
import { type Fault, FilesError, type FilesErrorCode } from '@packs/files'

export const exitStatus = {
  done: 0,
  findings: 1,
  usage: 2,
  internal: 3,
  refused: 4,
  unavailable: 5,
  interrupted: 130,
} as const

export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

const added = new Map<string, ExitStatus>([
  ['linked_input', exitStatus.refused],
  ['invalid_option', exitStatus.usage],
])

/** Adds the exit statuses of the error codes of a package that is loaded on demand. */
export function addStatuses(exitOfCode: Readonly<Record<string, keyof typeof exitStatus>>): void {
  for (const [code, exit] of Object.entries(exitOfCode)) added.set(code, exitStatus[exit])
}

/** Codes with their exit statuses. Errors of other packages keep their own codes. */
export const statusOfCode = {
  usage: 'usage', // an unknown command or option, two conflicting options, or an empty name
  low_savings: 'findings', // a pack saves less than `minSavings` of the configuration
  duplicate_slug: 'findings', // two sources of one command have the same slug, and neither is built or published
  empty_source: 'findings', // `pack publish -` got empty stdin; an empty file is allowed
  bad_source: 'findings', // a source of `pack publish` has errors, which `messages` lists
  invalid_links: 'findings', // the file of `pack links --from` has no addresses by number
  invalid_signing_key: 'refused', // the file has no usable Ed25519 key, or others can read the private key in it
  unknown_signer: 'findings', // the keys document has no key with this id
  prepare_failed: 'findings', // `prepare` of the configuration threw an error, took over 10 seconds, or returned no text for a source
  invalid_check: 'findings', // the file of `--against` is not the `--json` of an earlier check in which all packs passed
  invalid_config: 'usage', // a configuration has an invalid key or value; `faults` lists each with its position
  config_failed: 'usage', // a configuration cannot be loaded: it is missing, has a syntax error, throws, exports nothing or does not finish
  untrusted_file: 'refused', // other users can change a configuration or a package that would be run
  output_failed: 'findings', // the operating system refuses to write a file or stdout; the message names a missing permission
  file_exists: 'refused', // the command would overwrite a file that it may not replace
  linked_output: 'refused', // a symbolic link is where a file would be written, or leads out of the repository
  cache_unusable: 'findings', // a pack cannot be stored in the cache folder of the user
  server_missing: 'usage', // the command needs `@packs/server`, which is not installed
  server_incompatible: 'usage', // the installed `@packs/server` belongs to another version of `pack`
  eval_missing: 'usage', // `pack eval` needs `@packs/eval`, which is not installed
  eval_incompatible: 'usage', // the installed `@packs/eval` belongs to another version of `pack`
  internal: 'internal', // a bug in the program
} as const

type CliErrorCode = keyof typeof statusOfCode

export function findStatus(code: string): ExitStatus {
  const own = Object.hasOwn(statusOfCode, code) ? statusOfCode[code as CliErrorCode] : 'findings'
  return added.get(code) ?? exitStatus[own]
}

/** The message says what is wrong, the hint what to do. It may have a code of the codec. */
export class CliError extends FilesError<CliErrorCode | FilesErrorCode | CodecErrorCode | CompressErrorCode> {
  override readonly name = 'CliError'
}

export function usageError(message: string, hint: string): CliError {
  return new CliError('usage', message, hint)
}

/** Rethrows an error; that of an input that does not exist with better advice, if there is some. */
export function explainMissing(error: unknown, advise: (file: string) => string | undefined): never {
  if (!(error instanceof FilesError && error.code === 'file_not_found')) throw error
  const { code, message, file = '' } = error as FilesError
  const hint = /^https?:/i.test(file) ? 'name a catalog with --url' : advise(file)
  throw hint === undefined ? error : new FilesError(code, message, hint, { file, cause: error })
}

/** An error about a file; its message begins with the file's name. */
export function fileError(
  code: CliErrorCode | FilesErrorCode,
  file: string,
  problem: string,
  hint: string,
  cause?: unknown,
): CliError {
  return new CliError(code, `${file} ${problem}`, hint, { file, cause })
}

export interface ConfigIssue {
  /** Keys and indexes that lead to the value. */
  readonly path: readonly (string | number)[]
  /** The issue is about the key, not its value. */
  readonly isKey: boolean
  readonly message: string
  readonly hint: string
}

const CONFIG_HINT = 'correct it, name another one with --config, or use none with --config none'

export function configFailedError(
  shown: string,
  message: string,
  hint: string,
  position: { readonly line?: number; readonly column?: number } = {},
): CliError {
  const faults = [{ line: position.line ?? null, column: position.column ?? null, message, hint }]
  return new CliError('config_failed', `${shown} cannot be loaded, so nothing was done`, CONFIG_HINT, {
    file: shown,
    faults,
  })
}

export function invalidConfigError(
  shown: string,
  issues: readonly ConfigIssue[],
  findPosition: (issue: ConfigIssue) => { readonly line: number; readonly column: number } | undefined,
): CliError {
  const faults = issues
    .map((issue): Fault => {
      const position = findPosition(issue)
      const { message, hint } = issue
      return { line: position?.line ?? null, column: position?.column ?? null, message, hint }
    })
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new CliError('invalid_config', `${shown} has ${count}, so nothing was done`, CONFIG_HINT, {
    file: shown,
    faults,
  })
}
