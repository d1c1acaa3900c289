import { get_encoding } from 'tiktoken'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import type { Tokenizer, TokenizerName } from '../../src/tokens/get-tokenizer.ts'

/** A tokenizer and the library that it must agree with. */
export interface Encoding {
  readonly name: TokenizerName
  readonly tokenizer: Tokenizer
  readonly encodeByLibrary: (text: string) => number[]
  readonly decodeByLibrary: (ids: readonly number[]) => string
  /** The library's pattern of pre-tokens, for the Unicode of this program. */
  readonly pattern: RegExp
}

// White_Space as in Rust, and the long s, which equals s where case is ignored.
const SPACE = '\\t-\\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000'
const CONTRACTION = "'(?:[sSdDmMtT\u017f]|[lL][lL]|[vV][eE]|[rR][eE])"
const SPACES = `[${SPACE}]*[\\r\\n]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]'
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]'

/** Both encodings. */
export const encodings: readonly Encoding[] = [
  await openEncoding(
    'o200k_base',
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}*${LOWER}+(?:${CONTRACTION})?`,
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}+${LOWER}*(?:${CONTRACTION})?`,
    '\\p{N}{1,3}',
    ` ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n/]*`,
    SPACES,
  ),
  await openEncoding(
    'cl100k_base',
    CONTRACTION,
    '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+',
    '\\p{N}{1,3}',
    ` ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n]*`,
    SPACES,
  ),
]

async function openEncoding(name: TokenizerName, ...alternatives: string[]): Promise<Encoding> {
  const library = get_encoding(name)
  return {
    name,
    tokenizer: await loadTokenizer(name),
    encodeByLibrary: (text) => [...library.encode(text, [], [])],
    decodeByLibrary: (ids) => Buffer.from(library.decode(Uint32Array.from(ids))).toString('utf8'),
    pattern: new RegExp(alternatives.join('|'), 'gu'),
  }
}
