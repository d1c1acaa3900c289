import type { CodecErrorCode } from '@packs/codec'

/** Exit statuses of `pack`. */
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
 * Error codes of the program itself, with their exit statuses. Errors of the codec, the catalog and the publisher keep their own
 * codes.
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
  invalid_baseline: 'findings',
  invalid_config: 'usage',
  config_failed: 'usage',
  untrusted_file: 'refused',
  output_failed: 'findings',
  file_exists: 'refused',
  linked_output: 'refused',
  cache_unusable: 'findings',
  server_missing: 'usage',
  server_incompatible: 'usage',
  internal: 'internal',
} as const

export type CliErrorCode = keyof typeof statusOfCode

/** One of several things that are wrong in a file. Line and column count from 1; null if they are not known. */
export interface Fault {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string
}

/** The file concerned, what is wrong in it, and the underlying error, if any. */
export interface CliErrorDetails {
  readonly file?: string
  readonly faults?: readonly Fault[]
  readonly cause?: unknown
}

/** An error shown to the user: the message says what is wrong, the hint what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode
  readonly hint: string
  readonly file: string | undefined
  readonly faults: readonly Fault[]

  constructor(code: CliErrorCode, message: string, hint: string, details: CliErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CliError'
    this.code = code
    this.hint = hint
    this.file = details.file
    this.faults = details.faults ?? []
  }

  /** Exit status of the code. */
  get status(): ExitStatus {
    return exitStatus[statusOfCode[this.code]]
  }
}

/** Location of an error inside a pack. */
export interface PackLocation {
  readonly file?: string
  /** The text that `offset` refers to: the header, an entry's expansion as written, or the content. */
  readonly part: 'rosetta' | 'expansion' | 'content'
  /** In UTF-16 units, from 0. */
  readonly offset?: number
  /** Position in the content; line and column count from 1. */
  readonly line?: number
  readonly column?: number
  /** Index of the header entry, from 0. */
  readonly entry?: number
}

/** A decoding failure, with the codec's error code and the location in the pack file. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  readonly code: CodecErrorCode
  readonly hint: string
  readonly location: PackLocation

  constructor(code: CodecErrorCode, message: string, hint: string, location: PackLocation, cause: Error) {
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.location = location
  }
}
