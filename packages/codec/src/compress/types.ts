import type { Minified, MinifyOptions } from '../minify/types.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import type { TokenizerName } from '../tokens/get-tokenizer.ts'

/** An author's rule for a phrase: its fixed term, or that it is never replaced. */
export interface GlossaryRule {
  readonly expansion: string
  /** Term to use if the phrase is replaced. By default the compressor chooses one. */
  readonly term?: string
  /** Never replace this phrase or any phrase that contains it. @default false */
  readonly never?: boolean
}

/**
 * The least that a header must save, counted in a whole prompt: its instruction, header and content
 * against the source. Both limits apply, and a header always saves at least one token.
 */
export interface WorthHeader {
  /** Percent of the source's tokens, 0 to 100. */
  readonly percent: number
  /** A whole number. */
  readonly tokens: number
}

export interface CompressOptions {
  /** @default 'minify-1' */
  readonly scheme?: Scheme
  /** Load any tokenizer but the default with `loadTokenizer` first. @default 'o200k_base' */
  readonly tokenizer?: TokenizerName
  /** @default [] */
  readonly glossary?: readonly GlossaryRule[]
  /** `dense-2` and `max-2`: whether fenced and indented code may be changed. @default true */
  readonly code?: boolean
  /**
   * Dialects of the text and rules of minify that are off. In MDX no term is in imports, JSX and
   * expressions. @default { dialect: [], off: [] }
   */
  readonly minify?: MinifyOptions
  /** With smaller savings the text stays uncompressed. @default { percent: 2, tokens: 40 } */
  readonly worthHeader?: WorthHeader
  /** `best` searches up to three times as long as `fast`. @default 'fast' */
  readonly effort?: 'fast' | 'best'
}

/**
 * An entry of the header, its expansion as written there, and its tokens: net = gross − header.
 *
 * `uses` counts the term in the content, `references` in other expansions. `gross` is what both
 * save; `header` is what the entry would cost with its expansion written in full.
 */
export interface CompressionEntry extends RosettaEntry {
  readonly uses: number
  readonly references: number
  readonly gross: number
  readonly header: number
  readonly net: number
}

/** A glossary rule that was not followed, and the reason. */
export interface GlossaryNote {
  readonly rule: number
  readonly code: 'pin_does_not_pay' | 'pin_not_found' | 'pin_excluded'
  readonly message: string
}

/** The result of {@link compress}, verified: `decode` gives `text`, `restore` the source. */
export interface Compression extends Minified {
  /** The scheme used: `minify-1` if no header saves enough, `none` without edits. */
  readonly scheme: Scheme
  /** All dialects and rules that are off, as a pack document has them. */
  readonly minify: Required<MinifyOptions>
  readonly tokenizer: TokenizerName
  readonly content: string
  /** Canonical header; only `[DECODE]` without entries. */
  readonly rosetta: string
  readonly entries: readonly CompressionEntry[]
  /** Token counts of `source`, `content` and `rosetta` (0 without entries). */
  readonly tokens: { readonly source: number; readonly content: number; readonly rosetta: number }
  /**
   * What the chosen entries save ÷ a certified upper bound for any selection of repeated phrases
   * that the scheme allows, under the compressor's cost model (without nesting). 1 if nothing pays.
   */
  readonly optimality: number
  readonly notes: readonly GlossaryNote[]
}
