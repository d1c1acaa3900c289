import { assertTokenizerName } from './load-tokenizer.ts'
import { registeredTokenizers } from './registered-tokenizers.ts'
import { TokenError } from './token-error.ts'
import type { Tokenizer, TokenizerName } from './types.ts'

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
