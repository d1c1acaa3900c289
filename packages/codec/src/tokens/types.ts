/** Tokenizers for counting packs. */
export type TokenizerName = 'o200k_base' | 'cl100k_base'

/** Pre-tokens of a text: `ends[i]` is the UTF-16 end of pre-token `i`, `counts[i]` its tokens. */
export interface Pieces {
  readonly ends: Uint32Array
  readonly counts: Uint32Array
}

/** A byte-pair tokenizer of any string, in near-linear time. Special tokens are plain text. */
export interface Tokenizer {
  readonly name: TokenizerName
  /** Number of tokens of `text`. */
  countTokens(text: string): number
  /** Token ids of `text`. */
  encode(text: string): number[]
  /**
   * UTF-16 offset where each token of `text` ends. For a token that ends inside a character, the
   * complement (`~`) of the offset after that character.
   */
  tokenEnds(text: string): Int32Array
  /** Splits `text` at its pre-token boundaries and counts each piece. */
  splitPieces(text: string): Pieces
  /** The vocabulary as bytes, for `loadTokenizer` in another process. */
  serializeVocabulary(): Uint8Array
}
