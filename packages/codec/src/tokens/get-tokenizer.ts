import type { Tokenizer, TokenizerName } from './types.ts'

/** Names that `loadTokenizer` knows. */
export const tokenizerNames: readonly TokenizerName[] = ['o200k_base', 'cl100k_base']

/**
 * The tokenizer `name`, which must have been loaded.
 *
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * await loadTokenizer('cl100k_base')
 * getTokenizer('cl100k_base').countTokens('hello world') // 2
 */
export function getTokenizer(name: TokenizerName): Tokenizer {
  const tokenizer = registeredTokenizers.get(name)
  if (tokenizer) return tokenizer
  assertTokenizerName(name)
  throw new TokenError('tokenizer_not_loaded', name)
}

/**
 * Checks a name that may come from outside.
 *
 * @throws {TokenError} `unknown_tokenizer`
 */
export function assertTokenizerName(name: string): asserts name is TokenizerName {
  if (!tokenizerNames.some((known) => known === name)) throw new TokenError('unknown_tokenizer', name)
}

/** Tokenizers that are loaded, each put here by its own module. */
const registeredTokenizers: Map<TokenizerName, Tokenizer> = new Map()

/** Makes `tokenizer` known to `getTokenizer`, and returns it. */
export function registerTokenizer(tokenizer: Tokenizer): Tokenizer {
  registeredTokenizers.set(tokenizer.name, tokenizer)
  return tokenizer
}

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
