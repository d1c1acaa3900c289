import type { CodecErrorCode } from '@packs/codec'
import type { CompressErrorCode } from '@packs/codec/compress'
import type { PromptShare } from '@packs/codec/prompt'

export const exitStatus = {
  done: 0,
  findings: 1,
  usage: 2,
  internal: 3,
  refused: 4,
  unavailable: 5,
  interrupted: 130,
} as const

/** One of the values of {@link exitStatus}. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

const added = new Map<string, ExitStatus>()

/** Adds the exit statuses of the error codes of a package that is loaded on demand. */
export function addStatuses(exitOfCode: Readonly<Record<string, keyof typeof exitStatus>>): void {
  for (const [code, exit] of Object.entries(exitOfCode)) added.set(code, exitStatus[exit])
}

/** Returns the exit status of an error code of another package. */
export function findStatus(code: string): ExitStatus {
  return added.get(code) ?? exitStatus.findings
}

/**
 * Error codes of the program itself, with their exit statuses. Errors of the codec, the catalog and
 * the publisher keep their own codes.
 */
export const statusOfCode = {
  usage: 'usage',
  file_not_found: 'findings',
  file_unreadable: 'findings',
  not_a_file: 'findings',
  invalid_name: 'findings',
  file_too_large: 'findings',
  broken_link: 'findings',
  linked_input: 'refused',
  not_a_source: 'findings',
  no_sources: 'findings',
  no_packs: 'findings',
  low_savings: 'findings',
  duplicate_slug: 'findings',
  invalid_pack: 'findings',
  digest_mismatch: 'findings',
  invalid_signing_key: 'refused',
  unknown_signer: 'findings',
  revision_unreadable: 'findings',
  source_not_built: 'findings',
  include_failed: 'findings',
  prepare_failed: 'findings',
  invalid_check: 'findings',
  invalid_config: 'usage',
  config_failed: 'usage',
  untrusted_file: 'refused',
  output_failed: 'findings',
  file_exists: 'refused',
  linked_output: 'refused',
  cache_unusable: 'findings',
  server_missing: 'usage',
  server_incompatible: 'usage',
  eval_missing: 'usage',
  eval_incompatible: 'usage',
  internal: 'internal',
} as const

export type CliErrorCode = keyof typeof statusOfCode

/** Codes of the codec that this program reports as its own. */
type ForeignCode = CodecErrorCode | CompressErrorCode

/** One fault in a file. Line and column count from 1; null if unknown. */
export interface Fault {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string
}

/** Where an error is in a pack. */
export interface PackLocation {
  /**
   * The text that `offset` refers to: the header, an entry's expansion as written, or the content.
   */
  readonly part: 'rosetta' | 'expansion' | 'content'
  /** In UTF-16 units, from 0. */
  readonly offset?: number
  /** Position in the content; line and column count from 1. */
  readonly line?: number
  readonly column?: number
  /** Index of the header entry, from 0. */
  readonly entry?: number
}

/** The file concerned, and what is wrong in it. */
export interface CliErrorDetails extends Partial<PackLocation> {
  readonly file?: string | undefined
  readonly faults?: readonly Fault[]
  /** Share of each pack in a prompt that is over its budget. */
  readonly shares?: readonly PromptShare[] | undefined
}

/**
 * An error shown to the user: the message says what is wrong, the hint what to do. It may have a
 * code of the codec.
 */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode | ForeignCode
  readonly hint: string
  readonly details: CliErrorDetails

  constructor(
    code: CliErrorCode | ForeignCode,
    message: string,
    hint: string,
    { cause, ...details }: CliErrorDetails & { readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.details = details
  }

  get file(): string | undefined {
    return this.details.file
  }

  get status(): ExitStatus {
    return isOwnCode(this.code) ? exitStatus[statusOfCode[this.code]] : findStatus(this.code)
  }
}

/** An error in the arguments of a command. */
export function usageError(message: string, hint: string): CliError {
  return new CliError('usage', message, hint)
}

/** An error about a file; its message begins with the file's name. */
export function fileError(
  code: CliErrorCode,
  file: string,
  problem: string,
  hint: string,
  cause?: unknown,
): CliError {
  return new CliError(code, `${file} ${problem}`, hint, { file, cause })
}

function isOwnCode(code: string): code is CliErrorCode {
  return Object.hasOwn(statusOfCode, code)
}
