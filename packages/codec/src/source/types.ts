import type { VFileMessage } from 'vfile-message'
import type { GlossaryRule } from '../compress/types.ts'
import type { Difficulty } from '../pack/field-limits.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'

/** A place in a source file: line and column count from 1 in UTF-16 units, a byte-order mark not counted. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A source file, read: every field has its value, given or assumed. */
export interface Source {
  readonly path: string
  readonly slug: string
  readonly title: string
  /** Absent where the author names none: `build` writes `0.0.0` then, and `publish` decides. */
  readonly version?: string
  readonly domain: string
  readonly domainSlug: string
  readonly subdomain: string
  readonly difficulty: Difficulty
  readonly compression: Scheme
  /** `glossary-1`: may fenced code be touched. */
  readonly code: boolean
  readonly tokenizer: TokenizerName
  /** Tokens, header included. */
  readonly budget?: number
  readonly glossary: readonly GlossaryRule[]
  /** Every byte after the front matter; without one every byte, a byte-order mark included. */
  readonly body: string
  /** The line of the file that the body begins on. */
  readonly bodyLine: number
  /** Names of the fields that the author did not write and that a warning tells of. */
  readonly assumed: readonly string[]
  /** Where the values of the front matter stand, by key: `slug`, `glossary.0`, `glossary.0.term`. */
  readonly places: ReadonlyMap<string, Place>
}

/** What {@link parseSource} found: no source where a message is an error. */
export interface SourceResult {
  readonly source?: Source
  readonly messages: readonly VFileMessage[]
}

export interface SourceOptions {
  /** Name of the file, as messages show it; slug and title are taken from it where nothing else gives them. */
  readonly path: string
  /** Name of the folder the file is in, for a README whose path does not tell. */
  readonly folder?: string
}
