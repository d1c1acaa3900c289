import { TokenError } from './token-error.ts'
import type { Tokenizer, TokenizerName } from './types.ts'

/** Names that {@link loadTokenizer} knows. */
export const tokenizerNames: readonly TokenizerName[] = ['o200k_base', 'cl100k_base']

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

/**
 * Checks a name that may come from outside.
 *
 * @throws {TokenError} `unknown_tokenizer`
 */
export function assertTokenizerName(name: string): asserts name is TokenizerName {
  if (!tokenizerNames.some((known) => known === name)) throw new TokenError('unknown_tokenizer', name)
}
