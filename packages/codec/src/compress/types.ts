import type { RosettaEntry, Scheme } from '../types.ts'
import type { TokenizerName } from '../tokens/types.ts'

/** What an author asks of a phrase: a fixed term, or that it is never replaced. */
export interface GlossaryRule {
  readonly expansion: string
  /** Term to use if the phrase is replaced; chosen by the compressor when absent. */
  readonly term?: string
  /** Never replace this phrase, nor any phrase that holds it. @default false */
  readonly never?: boolean
}

export interface CompressOptions {
  /** @default 'glossary-1' */
  readonly scheme?: Scheme
  /** Another one than the default must have been loaded by `loadTokenizer`. @default 'o200k_base' */
  readonly tokenizer?: TokenizerName
  /** @default [] */
  readonly glossary?: readonly GlossaryRule[]
  /** `glossary-1`: may fenced and indented code be touched. @default false */
  readonly code?: boolean
  /** `best` may take three times as long where it gains. @default 'fast' */
  readonly effort?: 'fast' | 'best'
}

/**
 * An entry of the header, its expansion as written there, and what it brings in tokens: net = gross − header.
 *
 * `uses` are those in the content, `references` those in other expansions; `gross` is what both save, `header` what the
 * entry takes without references of its own.
 */
export interface CompressionEntry extends RosettaEntry {
  readonly uses: number
  readonly references: number
  readonly gross: number
  readonly header: number
  readonly net: number
}

/** A glossary rule that was not followed, and why. `offset` (UTF-16) is there when a place in the text is to blame. */
export interface GlossaryNote {
  readonly rule: number
  readonly code: 'pin_does_not_pay' | 'pin_not_found' | 'pin_excluded'
  readonly message: string
}

/** The result of {@link compress}. `decode(content, rosetta)` is the source, proven before it is returned. */
export interface Compression {
  /** The scheme used: `none` where no dictionary pays for its header. */
  readonly scheme: Scheme
  readonly tokenizer: TokenizerName
  readonly content: string
  /** Canonical header; `[DECODE]` alone under `none`. */
  readonly rosetta: string
  readonly entries: readonly CompressionEntry[]
  /** Token counts: `source`, `content`, `rosetta` (0 under `none`). */
  readonly tokens: { readonly source: number; readonly content: number; readonly rosetta: number }
  /**
   * What the chosen entries save ÷ a certified upper bound for every selection of repeated phrases that the scheme allows,
   * under the compressor's cost model (without nesting); 1 where nothing pays.
   */
  readonly optimality: number
  readonly notes: readonly GlossaryNote[]
}

/**
 * The result of {@link compressTogether}. Each content decodes to its source with the header of its own compression and
 * with the shared one, proven before it is returned.
 */
export interface SharedCompression {
  /**
   * One for each text, in order, complete by itself: its header is the part of the shared one that it needs, its token
   * counts are those of the text alone. `none` where that part would not pay for itself. `optimality` is that of all texts
   * together, and what became of the glossary stands in `notes` of the whole.
   */
  readonly compressions: readonly Compression[]
  /** The shared header, canonical; `[DECODE]` alone where nothing is shared. */
  readonly rosetta: string
  /** Its entries, with what each brings over all texts. */
  readonly entries: readonly CompressionEntry[]
  /**
   * Tokens of the one header that the first text needs, the first two, and so on, as `systemPrompt` merges it: what an
   * agent pays once beside their contents.
   */
  readonly headerTokens: readonly number[]
  readonly optimality: number
  readonly notes: readonly GlossaryNote[]
}
