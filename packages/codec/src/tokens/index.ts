export { getTokenizer, TokenError, tokenizerNames, type TokenErrorCode } from './get-tokenizer.ts'
export { loadTokenizer } from './load-tokenizer.ts'
export type { Pieces, Tokenizer, TokenizerName } from './types.ts'
