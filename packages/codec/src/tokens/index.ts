export { getTokenizer, TokenError, tokenizerNames, type TokenErrorCode } from './get-tokenizer.ts'
export { loadTokenizer, type LoadOptions } from './load-tokenizer.ts'
export type { Pieces, Tokenizer, TokenizerName } from './types.ts'
export { VOCABULARY_VERSION } from './vocabulary/stored-vocabulary.ts'
