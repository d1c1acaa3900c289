import type { Tokenizer, TokenizerName } from './types.ts'

/** Tokenizers that are loaded, each put here by its own module. */
export const registeredTokenizers: Map<TokenizerName, Tokenizer> = new Map()

/** Makes `tokenizer` known to `getTokenizer`, and returns it. */
export function registerTokenizer(tokenizer: Tokenizer): Tokenizer {
  registeredTokenizers.set(tokenizer.name, tokenizer)
  return tokenizer
}
