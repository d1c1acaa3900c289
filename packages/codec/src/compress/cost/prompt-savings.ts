import { framePacks, INSTRUCTION } from '../../prompt/frame-packs.ts'
import { MARKER } from '../../rosetta/grammar.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import type { Compression } from '../types.ts'

/** The parts of a compression that a prompt contains, and their token counts. */
export type PromptParts = Pick<Compression, 'content' | 'rosetta' | 'tokens'>

/**
 * Returns by how many tokens a prompt with this one pack, instruction included, is smaller than its source
 * (SPEC.md §8.1). Exact if it is near 0; else the instruction counts by itself, although a text that begins with
 * white space may join it with other tokens.
 */
export function countPromptSavings({ content, rosetta, tokens }: PromptParts, tokenizer: Tokenizer): number {
  const estimate = tokens.source - tokens.content - tokens.rosetta - tokenizer.countTokens(INSTRUCTION)
  if (Math.abs(estimate) > CLEAR) return estimate
  return tokens.source - tokenizer.countTokens(framePacks([{}], [content], rosetta))
}

/** Beyond this number of tokens, how the parts join does not decide; counting the whole prompt again takes time. */
const CLEAR = 64

/** Returns the tokens that the instruction and the marker of a header take, which every prompt with a header pays. */
export function countFixedTokens(tokenizer: Tokenizer): number {
  return tokenizer.countTokens(`${INSTRUCTION}${MARKER} `)
}
