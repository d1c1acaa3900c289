// The benchmark counts with OpenAI's own library, independently of the codec.
import { encode as encodeText } from 'gpt-tokenizer/encoding/o200k_base'
import { get_encoding } from 'tiktoken'

const library = get_encoding('o200k_base')
const options = { disallowedSpecial: new Set<string>() }

/** o200k_base tokens of `text`. */
export function countTokens(text: string): number {
  return library.encode(text, [], []).length
}

/** The yardstick of compress speed: one plain tokenisation in JavaScript. */
export function encode(text: string): number[] {
  return encodeText(text, options)
}
