import { loadTokenizer } from '../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../src/tokens/get-tokenizer.ts'

/** For functions that do not wait. */
export const o200kBase: Tokenizer = await loadTokenizer('o200k_base')
