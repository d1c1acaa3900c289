import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { createTokenizer } from './create-tokenizer.ts'
import { registerTokenizer } from './registered-tokenizers.ts'
import { endOfO200kPiece } from './split-o200k.ts'
import type { Tokenizer } from './types.ts'

/** The tokenizer o200k_base. Importing this module loads it, so that `getTokenizer` finds it without waiting. */
export const o200kBase: Tokenizer = registerTokenizer(createTokenizer('o200k_base', ranks, endOfO200kPiece))
