import { exitStatus, type ExitStatus } from './exit-status.ts'
import type { CodecErrorCode } from '@packs/codec'

/** What can go wrong in the program itself; errors of the codec keep the codec's codes. */
export type CliErrorCode =
  | 'usage'
  | 'file_not_found'
  | 'file_unreadable'
  | 'not_a_file'
  | 'invalid_name'
  | 'file_too_large'
  | 'broken_link'
  | 'no_sources'
  | 'not_a_source'
  | 'empty_source'
  | 'unknown_domain'
  | 'no_packs'
  | 'duplicate_slug'
  | 'low_savings'
  | 'invalid_pack'
  | 'digest_mismatch'
  | 'output_failed'
  | 'file_exists'
  | 'address_in_use'
  | 'address_unavailable'
  | 'internal'

/** Exit status of each code; exhaustive, so that a new code does not compile without one. */
export const statusOfCode: Readonly<Record<CliErrorCode, ExitStatus>> = {
  usage: exitStatus.usage,
  file_not_found: exitStatus.findings,
  file_unreadable: exitStatus.findings,
  not_a_file: exitStatus.findings,
  invalid_name: exitStatus.findings,
  file_too_large: exitStatus.findings,
  broken_link: exitStatus.findings,
  not_a_source: exitStatus.findings,
  empty_source: exitStatus.findings,
  no_sources: exitStatus.findings,
  unknown_domain: exitStatus.findings,
  no_packs: exitStatus.findings,
  low_savings: exitStatus.findings,
  duplicate_slug: exitStatus.findings,
  invalid_pack: exitStatus.findings,
  digest_mismatch: exitStatus.findings,
  output_failed: exitStatus.findings,
  file_exists: exitStatus.refused,
  address_in_use: exitStatus.unavailable,
  address_unavailable: exitStatus.unavailable,
  internal: exitStatus.internal,
}

/** Names the file at fault and the error below, when there are such. */
export interface CliErrorDetails {
  readonly file?: string
  readonly cause?: unknown
}

/** An error that is shown to the person who ran `pack`: what is wrong, and what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode
  readonly hint: string
  readonly file: string | undefined

  constructor(code: CliErrorCode, message: string, hint: string, details: CliErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CliError'
    this.code = code
    this.hint = hint
    this.file = details.file
  }

  /** Exit status that belongs to the code. */
  get status(): ExitStatus {
    return statusOfCode[this.code]
  }
}

/** Where in a pack an error is. */
export interface PackLocation {
  readonly file?: string
  /** What `offset` counts in: the header, an entry's expansion as written, or the content. */
  readonly part: 'rosetta' | 'expansion' | 'content'
  /** UTF-16 units, from 0. */
  readonly offset?: number
  /** In the content; both count from 1. */
  readonly line?: number
  readonly column?: number
  /** Index of the header's entry, from 0. */
  readonly entry?: number
}

/** A pack that the codec refuses to decode: the codec's code, and where in which file. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  readonly code: CodecErrorCode
  readonly hint: string
  readonly location: PackLocation

  constructor(code: CodecErrorCode, message: string, hint: string, place: PackLocation, cause: Error) {
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.location = place
  }
}
