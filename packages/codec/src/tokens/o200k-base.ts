import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { createTokenizer } from './create-tokenizer.ts'
import { findTokenizer, registerTokenizer } from './get-tokenizer.ts'
import type { Tokenizer } from './types.ts'
import { buildVocabulary } from './vocabulary/build-vocabulary.ts'

/**
 * The tokenizer o200k_base. Importing this module registers it for `getTokenizer`, so that
 * synchronous functions can use it by default.
 */
export const o200kBase: Tokenizer =
  findTokenizer('o200k_base') ?? registerTokenizer(createTokenizer('o200k_base', buildVocabulary(ranks)))
