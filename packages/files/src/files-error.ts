import type { CodecErrorCode } from '@packs/codec'
import type { PromptShare } from '@packs/codec/compress'

export type FilesErrorCode =
  | 'file_not_found' // no file, and no pack in `packs.lock`, has this name or matches the pattern
  | 'file_unreadable' // the operating system cannot read the file
  | 'not_a_file' // a folder was given where a file is needed
  | 'invalid_name' // the name of a source or folder is not valid UTF-8; invalid bytes are shown like `\xfc`
  | 'file_too_large' // a file is above the size limit for its kind
  | 'broken_link' // a symbolic link points to a missing file, or is in a loop
  | 'linked_input' // a symbolic link to a source or configuration leads out of the repository or into `.git`
  | 'not_a_source' // a pack was given where a source is needed
  | 'no_sources' // the inputs have no markdown files
  | 'no_packs' // the inputs have no packs
  | 'invalid_pack' // the file is not a pack
  | 'digest_mismatch' // the decoded text does not match the `sha256` of the pack, or for `prompt` its fields do not match the `pack_digest`
  | 'revision_unreadable' // git is not installed, or cannot read the file in that revision
  | 'source_not_built' // a source that is read into memory, or for `pack diff`, has errors; `faults` lists them
  | 'include_failed' // an include cannot be resolved: outside of the repository, a link, hidden, ignored, too large, circular or too deep

/** One fault in a file. Line and column count from 1; null if unknown. */
export interface Fault {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string
}

/** Where an error is in a pack. */
export interface PackLocation {
  /** The text of `offset`: the header, an entry's expansion as written, or the content. */
  readonly part: 'rosetta' | 'expansion' | 'content' | 'patch'
  /** In UTF-16 units, from 0. */
  readonly offset?: number
  /** Position in the content; line and column count from 1. */
  readonly line?: number
  readonly column?: number
  /** Index of the header entry, or of the row of the patch, from 0. */
  readonly entry?: number
}

/** The file concerned, and what is wrong in it. */
export interface ErrorDetails extends Partial<PackLocation> {
  readonly file?: string | undefined
  readonly faults?: readonly Fault[]
  /** Share of each pack in a prompt that is over its budget. */
  readonly shares?: readonly PromptShare[] | undefined
}

/** The message says what is wrong, the hint what to do. It may have a code of the codec. */
export class FilesError<Code extends string = FilesErrorCode | CodecErrorCode | 'usage'> extends Error {
  override readonly name: string = 'FilesError'
  readonly code: Code
  readonly hint: string
  readonly details: ErrorDetails

  constructor(
    code: NoInfer<Code>,
    message: string,
    hint: string,
    { cause, ...details }: ErrorDetails & { readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.details = details
  }

  get file(): string | undefined {
    return this.details.file
  }
}

/** An error about a file; its message begins with the file's name. */
export function fileError(
  code: FilesErrorCode,
  file: string,
  problem: string,
  hint: string,
  cause?: unknown,
): FilesError {
  return new FilesError(code, `${file} ${problem}`, hint, { file, cause })
}
