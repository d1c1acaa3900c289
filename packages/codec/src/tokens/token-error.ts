/** What may go wrong with a tokenizer. */
export type TokenErrorCode = 'tokenizer_not_loaded' | 'unknown_tokenizer'

/** An error of the tokens layer: `message` says what is wrong and what was found, `hint` what to do. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode
  readonly hint: string

  constructor(code: TokenErrorCode, found: string) {
    const [problem, hint] = TEXTS[code]
    super(`${problem}: ${JSON.stringify(found.slice(0, 80))}`)
    this.code = code
    this.hint = hint
  }
}

const TEXTS: Record<TokenErrorCode, readonly [problem: string, hint: string]> = {
  tokenizer_not_loaded: ['Tokenizer not loaded', 'Await loadTokenizer with this name once before.'],
  unknown_tokenizer: ['Unknown tokenizer', 'Use o200k_base or cl100k_base.'],
}
