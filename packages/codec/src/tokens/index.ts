export { getTokenizer } from './get-tokenizer.ts'
export { loadTokenizer, tokenizerNames } from './load-tokenizer.ts'
export { TokenError, type TokenErrorCode } from './token-error.ts'
export type { Pieces, Tokenizer, TokenizerName } from './types.ts'
