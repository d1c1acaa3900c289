import type { CodecErrorCode } from '@packs/codec'

/** Where in a pack an error is. */
export interface PackPlace {
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
  readonly place: PackPlace

  constructor(code: CodecErrorCode, message: string, hint: string, place: PackPlace, cause: Error) {
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.place = place
  }
}
