// The benchmark counts with the published tokenizer, independently of the codec.
import { countTokens as count, encode as encodeText } from 'gpt-tokenizer/encoding/o200k_base'

const options = { disallowedSpecial: new Set<string>() }

/** o200k_base tokens of `text`. */
export function countTokens(text: string): number {
  return count(text, options)
}

/** The yardstick of compress speed: one plain tokenisation. */
export function encode(text: string): number[] {
  return encodeText(text, options)
}
