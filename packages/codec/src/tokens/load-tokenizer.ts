import { createTokenizer } from './create-tokenizer.ts'
import {
  assertTokenizerName,
  findTokenizer,
  registerTokenizer,
  TokenError,
  type Tokenizer,
  type TokenizerName,
} from './get-tokenizer.ts'
import { parseVocabulary } from './vocabulary/stored-vocabulary.ts'

export interface LoadOptions {
  /**
   * The result of this tokenizer's `serializeVocabulary`, stored by an earlier process. With it,
   * loading takes a few milliseconds instead of a tenth of a second. The tokenizer keeps these
   * bytes, which must not change. Ignored if the tokenizer is loaded already.
   */
  readonly vocabulary?: Uint8Array | undefined
}

/**
 * Loads the tokenizer `name`, once for all calls.
 * @throws {TokenError} `unknown_tokenizer`; `invalid_vocabulary` if the stored vocabulary is
 *   damaged or has another version: load without it then
 * @example
 * const tokenizer = await loadTokenizer('o200k_base')
 * tokenizer.countTokens('hello world') // 2
 */
export async function loadTokenizer(
  name: TokenizerName,
  { vocabulary: stored }: LoadOptions = {},
): Promise<Tokenizer> {
  assertTokenizerName(name)
  const loaded = findTokenizer(name)
  if (loaded) return loaded
  if (stored) {
    const vocabulary = parseVocabulary(name, stored)
    if (vocabulary === undefined) throw new TokenError('invalid_vocabulary', name)
    return registerTokenizer(createTokenizer(name, vocabulary))
  }
  const [{ default: ranks }, { buildVocabulary }] = await Promise.all([
    name === 'o200k_base'
      ? import('gpt-tokenizer/bpeRanks/o200k_base')
      : import('gpt-tokenizer/bpeRanks/cl100k_base'),
    import('./vocabulary/build-vocabulary.ts'),
  ])
  return findTokenizer(name) ?? registerTokenizer(createTokenizer(name, buildVocabulary(ranks)))
}
