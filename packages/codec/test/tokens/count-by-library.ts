import { get_encoding } from 'tiktoken'

const library = get_encoding('o200k_base')

/** Tokens of a text in o200k_base, as OpenAI's library counts them. */
export function countTokens(text: string): number {
  return library.encode(text, [], []).length
}
