import type { Scheme } from '@packs/codec'
import type { TokenizerName } from '@packs/codec/tokens'
import type { Diagnostic } from './diagnostic.ts'

/** The figures of a built pack, as `pack build --json` names them. */
export interface BuiltPack {
  readonly slug: string
  readonly version: string
  readonly compression: Scheme
  readonly tokenizer: TokenizerName
  readonly uncompressed_estimate: number
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly savings_pct: number
  readonly net_savings_pct: number
  /** Number of entries of the header. */
  readonly entries: number
  /** What the entries save ÷ a bound for every dictionary, cut after four decimals; 1 where nothing pays. */
  readonly optimality: number
}

/** A place in a file; both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** What became of a source. `pack` and `text` are there when a pack could be built, errors in `messages` or not. */
export interface BuildResult {
  readonly path: string
  readonly shown: string
  readonly pack: BuiltPack | null
  /** Where the slug stands in the source, if the author wrote it. */
  readonly slugPosition: Position | null
  /** The pack document, as it is written. */
  readonly text: string | null
  readonly messages: readonly Diagnostic[]
  /** Absent where the source could not be read. */
  readonly domain?: Domain
}

/** A domain by its name for people and its name in addresses. */
export interface Domain {
  readonly name: string
  readonly slug: string
}

/** A result, and what became of its file. */
export interface WrittenResult extends BuildResult {
  /** Path of the pack, relative where that is short; null for a source that failed or went to stdout. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run' | 'failed'
}
