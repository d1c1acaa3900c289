/** Tokenizers that packs are counted in. */
export type TokenizerName = 'o200k_base' | 'cl100k_base'

/** Pre-tokens of a text: `ends[i]` is the UTF-16 offset where pre-token `i` ends, `counts[i]` its number of tokens. */
export interface Pieces {
  readonly ends: Uint32Array
  readonly counts: Uint32Array
}

/** A byte-pair tokenizer. Every method takes every string and runs in near-linear time; special tokens are plain text. */
export interface Tokenizer {
  readonly name: TokenizerName
  /** Number of tokens of `text`. */
  countTokens(text: string): number
  /** Number of tokens of a string known to be a single pre-token; it is not split again. */
  countPiece(piece: string): number
  /** Whether `text` is exactly one token. */
  isOneToken(text: string): boolean
  /** Token ids of `text`. */
  encode(text: string): number[]
  /** Splits `text` at its pre-token boundaries and counts each piece. */
  splitPieces(text: string): Pieces
  /** Every token that is a string of its own, by rising rank; {@link isOneToken} tells which stay whole in a text. */
  vocabulary(): Iterable<string>
}
