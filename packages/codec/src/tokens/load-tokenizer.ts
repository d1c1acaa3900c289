import { assertTokenizerName } from './get-tokenizer.ts'
import type { Tokenizer, TokenizerName } from './types.ts'

/**
 * Loads the tokenizer `name`, once for all calls.
 *
 * @throws {TokenError} `unknown_tokenizer`
 * @example
 * const tokenizer = await loadTokenizer('o200k_base')
 * tokenizer.countTokens('hello world') // 2
 */
export async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  assertTokenizerName(name)
  if (name === 'o200k_base') return (await import('./o200k-base.ts')).o200kBase
  return (await import('./cl100k-base.ts')).cl100kBase
}
