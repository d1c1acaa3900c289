import cl100kRanks from 'gpt-tokenizer/bpeRanks/cl100k_base'
import o200kRanks from 'gpt-tokenizer/bpeRanks/o200k_base'
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { loadTokenizer, type Tokenizer } from '../../src/tokens/index.ts'

const plain = { disallowedSpecial: new Set<string>() }

/** A tokenizer and the library that it must agree with. */
export interface Encoding {
  readonly name: string
  readonly tokenizer: Tokenizer
  readonly encodeByLibrary: (text: string) => number[]
  /** Decodes token ids with the library's table, because its `decode` is quadratic for tokens that are not text. */
  readonly decodeByTable: (ids: readonly number[]) => string
}

/** Both encodings. */
export const encodings: readonly Encoding[] = [
  {
    name: 'o200k_base',
    tokenizer: await loadTokenizer('o200k_base'),
    encodeByLibrary: (text) => o200k.encode(text, plain),
    decodeByTable: (ids) => decode(ids, o200kRanks),
  },
  {
    name: 'cl100k_base',
    tokenizer: await loadTokenizer('cl100k_base'),
    encodeByLibrary: (text) => cl100k.encode(text, plain),
    decodeByTable: (ids) => decode(ids, cl100kRanks),
  },
]

function decode(ids: readonly number[], ranks: readonly (string | readonly number[])[]): string {
  return Buffer.concat(ids.map((id) => Buffer.from(ranks[id] as string))).toString('utf8')
}
