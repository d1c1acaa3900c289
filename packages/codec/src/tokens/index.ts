export { getTokenizer, tokenizerNames } from './get-tokenizer.ts'
export { VOCABULARY_VERSION } from './vocabulary/stored-vocabulary.ts'
