import type { RosettaEntry, Scheme } from '../types.ts'
import type { TokenizerName } from '../tokens/types.ts'

/** An author's rule for a phrase: a fixed term, or that it is never replaced. */
export interface GlossaryRule {
  readonly expansion: string
  /** Term to use if the phrase is replaced. The compressor chooses one if absent. */
  readonly term?: string
  /** Never replace this phrase, nor any phrase that contains it. @default false */
  readonly never?: boolean
}

/**
 * What a header must save at least of what the source costs, as paid: the content, the header and
 * the instruction of a prompt count. Both must be met; a header always saves a token at least.
 */
export interface WorthHeader {
  /** 0 to 100. */
  readonly percent: number
  /** A whole number. */
  readonly tokens: number
}

export interface CompressOptions {
  /** @default 'glossary-1' */
  readonly scheme?: Scheme
  /**
   * Any tokenizer but the default must be loaded by `loadTokenizer` first. @default 'o200k_base'
   */
  readonly tokenizer?: TokenizerName
  /** @default [] */
  readonly glossary?: readonly GlossaryRule[]
  /** `glossary-1`: also replace in fenced and indented code. @default false */
  readonly code?: boolean
  /**
   * Whether the text is MDX, of which imports, JSX and expressions stay as they are. @default false
   */
  readonly mdx?: boolean
  /** Below this saving the text stays as it is. @default { percent: 2, tokens: 40 } */
  readonly worthHeader?: WorthHeader
  /** `best` searches longer, up to three times the time of `fast`. @default 'fast' */
  readonly effort?: 'fast' | 'best'
}

/**
 * An entry of the header, its expansion as written there, and what it saves in tokens: net = gross
 * − header.
 *
 * `uses` counts its uses in the content, `references` those in other expansions. `gross` is what
 * both save, `header` the cost of the entry without references of its own.
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

/**
 * The result of {@link compress}. `decode(content, rosetta)` returns the source, verified before
 * the result is returned.
 */
export interface Compression {
  /** The scheme used: `none` if no dictionary saves what a header is worth (`worthHeader`). */
  readonly scheme: Scheme
  readonly tokenizer: TokenizerName
  readonly content: string
  /** Canonical header; only `[DECODE]` under `none`. */
  readonly rosetta: string
  readonly entries: readonly CompressionEntry[]
  /** Token counts of `source`, `content` and `rosetta` (0 under `none`). */
  readonly tokens: { readonly source: number; readonly content: number; readonly rosetta: number }
  /**
   * What the chosen entries save ÷ a certified upper bound for every selection of repeated phrases
   * that the scheme allows, under the compressor's cost model (without nesting); 1 if nothing pays.
   */
  readonly optimality: number
  readonly notes: readonly GlossaryNote[]
}
