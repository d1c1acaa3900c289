/** Names that `loadTokenizer` accepts. */
export const tokenizerNames: readonly TokenizerName[] = ['o200k_base', 'cl100k_base']

/**
 * Returns the tokenizer `name`, which must be loaded already.
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 */
export function getTokenizer(name: TokenizerName): Tokenizer {
  const tokenizer = findTokenizer(name)
  if (tokenizer) return tokenizer
  assertTokenizerName(name)
  throw new TokenError('tokenizer_not_loaded', name)
}

/** @throws {TokenError} `unknown_tokenizer` */
export function assertTokenizerName(name: string): asserts name is TokenizerName {
  if (!tokenizerNames.some((known) => known === name)) throw new TokenError('unknown_tokenizer', name)
}

const registeredTokenizers: Map<TokenizerName, Tokenizer> = new Map()

export function findTokenizer(name: TokenizerName): Tokenizer | undefined {
  return registeredTokenizers.get(name)
}

export function registerTokenizer(tokenizer: Tokenizer): Tokenizer {
  registeredTokenizers.set(tokenizer.name, tokenizer)
  return tokenizer
}

export type TokenErrorCode =
  | 'invalid_vocabulary' // a stored vocabulary is damaged or comes from another version
  | 'tokenizer_not_loaded' // a tokenizer was used before it was loaded
  | 'unknown_tokenizer' // no tokenizer has this name

/** A tokenizer error: `message` says what is wrong and what was found, `hint` what to do. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  readonly hint: string

  constructor(code: TokenErrorCode, found: string) {
    const [problem, hint] = TEXTS[code]
    super(`${problem}: ${JSON.stringify(String(found).slice(0, 80))}`)
    this.code = code
    this.hint = hint
  }
}

const TEXTS: Record<TokenErrorCode, readonly [problem: string, hint: string]> = {
  invalid_vocabulary: [
    'Stored vocabulary is damaged or has another version',
    'Load the tokenizer without it, and store the result of its serializeVocabulary().',
  ],
  tokenizer_not_loaded: ['Tokenizer not loaded', 'Await loadTokenizer() with this name first.'],
  unknown_tokenizer: ['Unknown tokenizer', 'Use o200k_base or cl100k_base.'],
}

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
  countTokens(text: string): number
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
