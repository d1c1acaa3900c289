import { exitStatus, type ExitStatus } from './exit-status.ts'
import type { CodecErrorCode } from '@packs/codec'

/** Error codes of the program itself. Errors of the codec, the catalog and the publisher keep their own codes. */
export type CliErrorCode =
  | 'usage'
  | 'file_not_found'
  | 'file_unreadable'
  | 'not_a_file'
  | 'invalid_name'
  | 'file_too_large'
  | 'broken_link'
  | 'linked_input'
  | 'no_sources'
  | 'not_a_source'
  | 'no_packs'
  | 'duplicate_slug'
  | 'low_savings'
  | 'invalid_pack'
  | 'digest_mismatch'
  | 'invalid_signing_key'
  | 'unknown_signer'
  | 'revision_unreadable'
  | 'source_not_built'
  | 'invalid_baseline'
  | 'invalid_config'
  | 'config_failed'
  | 'untrusted_file'
  | 'output_failed'
  | 'file_exists'
  | 'linked_output'
  | 'cache_unusable'
  | 'server_missing'
  | 'server_incompatible'
  | 'internal'

/** Exit status of each code; exhaustive, so that a new code without a status fails to compile. */
export const statusOfCode: Readonly<Record<CliErrorCode, ExitStatus>> = {
  usage: exitStatus.usage,
  file_not_found: exitStatus.findings,
  file_unreadable: exitStatus.findings,
  not_a_file: exitStatus.findings,
  invalid_name: exitStatus.findings,
  file_too_large: exitStatus.findings,
  broken_link: exitStatus.findings,
  linked_input: exitStatus.refused,
  not_a_source: exitStatus.findings,
  no_sources: exitStatus.findings,
  no_packs: exitStatus.findings,
  low_savings: exitStatus.findings,
  duplicate_slug: exitStatus.findings,
  invalid_pack: exitStatus.findings,
  digest_mismatch: exitStatus.findings,
  invalid_signing_key: exitStatus.refused,
  unknown_signer: exitStatus.findings,
  revision_unreadable: exitStatus.findings,
  source_not_built: exitStatus.findings,
  invalid_baseline: exitStatus.findings,
  invalid_config: exitStatus.usage,
  config_failed: exitStatus.usage,
  untrusted_file: exitStatus.refused,
  output_failed: exitStatus.findings,
  file_exists: exitStatus.refused,
  linked_output: exitStatus.refused,
  cache_unusable: exitStatus.findings,
  server_missing: exitStatus.usage,
  server_incompatible: exitStatus.usage,
  internal: exitStatus.internal,
}

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
    return statusOfCode[this.code]
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
