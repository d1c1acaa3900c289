import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base'
import { createTokenizer } from './create-tokenizer.ts'
import { registerTokenizer } from './registered-tokenizers.ts'
import { endOfCl100kPiece } from './split-cl100k.ts'
import type { Tokenizer } from './types.ts'

/** The tokenizer cl100k_base. Importing this module loads it, so that `getTokenizer` finds it without waiting. */
export const cl100kBase: Tokenizer = registerTokenizer(
  createTokenizer('cl100k_base', ranks, endOfCl100kPiece),
)
