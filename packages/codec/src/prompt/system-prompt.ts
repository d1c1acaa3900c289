import { serializeRosetta } from '../rosetta/parse-rosetta.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import { expandPack } from './decoded-pack.ts'
import { framePacks, listFrames } from './frame-packs.ts'
import { decodePacks, type MergedPacks, mergePacks } from './merge-packs.ts'

/** The fields of a pack document that a prompt uses. */
export interface PromptPack {
  readonly content: string
  readonly rosetta: string
  /** Written into the tag around the content; the slug is used if there is no title. */
  readonly title?: string | undefined
  readonly slug?: string | undefined
  readonly compression?: Scheme | undefined
  /**
   * The three token counts of the document: without them the body is written instead of the
   * content.
   */
  readonly token_count?: number | undefined
  readonly rosetta_tokens?: number | undefined
  readonly uncompressed_estimate?: number | undefined
  /** The same counts, as `compress` returns them. */
  readonly tokens?:
    | { readonly source: number; readonly content: number; readonly rosetta: number }
    | undefined
  /** What the counts are counted in. @default 'o200k_base' */
  readonly tokenizer?: TokenizerName | undefined
}

export interface SystemPrompt {
  /** The prompt. The same packs in the same order always give the same text. */
  readonly text: string
  /** The shared header; it decodes the prompt. Answers are for `decodeAnswer`. */
  readonly rosetta: string
  /** The entries of that header; none if the bodies are written instead. */
  readonly terms: readonly RosettaEntry[]
  /**
   * Tokens of the instruction in o200k_base; 0 if there are no terms, because the instruction is
   * then omitted.
   */
  readonly instructionTokens: number
  /**
   * Tokens that the packs save as built, headers included; absent if a pack does not state its
   * counts.
   */
  readonly savedTokens?: number
}

/** Tokens of {@link INSTRUCTION} in o200k_base, paid once for all packs. */
export const INSTRUCTION_TOKENS: number = 32

/**
 * Creates a system prompt from packs that may have been built separately: an instruction, one
 * header for all, and each content in tags whose name begins no tag of a content, in any spelling.
 * Conflicting terms are replaced or written out, and every content is verified to decode to its
 * source. A single pack gets no tags.
 *
 * The prompt never has more tokens than the bodies in the same tags, if the counts that the packs
 * state are right: nothing is counted here, so they are trusted. Every change of a term is charged
 * with the most that it may cost. Where too little is left of what the packs state to save (2 % and
 * 40 tokens), and where packs state no counts or different tokenizers, their bodies are written,
 * without instruction and header if that holds for all. `composePrompt` of `@packs/codec/prompt`
 * counts, and so saves more.
 *
 * @throws CodecError for a pack that does not decode, with its index as `pack`; TypeError for a
 *   content that is not a string
 * @example
 * const { text, rosetta } = systemPrompt([pack])
 * const answer = await ask(text, question)
 * decode(text, rosetta) // the prompt with the bodies of the packs
 */
export function systemPrompt(packs: readonly PromptPack[]): SystemPrompt {
  const merged = mergePacks(decodePacks(packs), listFrames(packs))
  const { contents, entries } = mergeProfitably(packs, merged, LEAST)
  const sources = merged.packs.map(({ source }) => source)
  const rosetta = serializeRosetta({ entries })
  const text = framePacks(packs, contents, entries.length ? rosetta : undefined, '', sources)
  const saved = packs.reduce((sum, pack) => sum + countSaved(pack), 0)
  return {
    text,
    rosetta,
    terms: entries,
    instructionTokens: entries.length && INSTRUCTION_TOKENS,
    ...(isNaN(saved) ? {} : { savedTokens: saved }),
  }
}

/** What a header must save at least: a share of the tokens of the sources, and tokens. */
const LEAST = { percent: 2, tokens: 40 }

/**
 * Upper bound of what a header costs besides its packs: the instruction, and the line ends after
 * the header.
 */
const FIXED = INSTRUCTION_TOKENS + 3

/**
 * Merges the packs, or those of them that together save more than their header may cost. The others
 * are expanded.
 *
 * @param merged all packs, merged
 * @param least what a header must save at least
 */
export function mergeProfitably(
  packs: readonly PromptPack[],
  merged: MergedPacks,
  { percent, tokens }: typeof LEAST,
): MergedPacks {
  const source = packs.reduce((sum, pack) => sum + (countSource(pack) ?? 0), 0)
  const least = Math.max(tokens, (percent * source) / 100)
  for (let round = 0; ; round++) {
    const { charges, entries, reserved } = merged
    const gains = listGains(packs, charges)
    const order = [...gains.keys()].sort((a, b) => gains[b]! - gains[a]!)
    let total = -FIXED
    let kept = 0
    for (const [place, index] of order.entries()) if ((total += gains[index]!) >= least) kept = place + 1
    if (total >= least || !entries.length) return merged
    // First tries without expanded phrases, because another term is charged less; then drops packs; then all.
    const dropped = new Set(round ? order.slice(round > 1 ? 0 : kept) : [])
    const inputs = merged.packs.map((pack, index) => (dropped.has(index) ? expandPack(pack.source) : pack))
    merged = mergePacks(inputs, reserved, false)
  }
}

/**
 * Returns the least that each pack saves; minus infinity if that is unknown, and 0 if it has no
 * terms.
 */
function listGains(packs: readonly PromptPack[], charges: readonly number[]): number[] {
  const withTerms = packs.filter((_, index) => charges[index])
  const names = new Set(withTerms.map(({ tokenizer = 'o200k_base' }) => tokenizer))
  const isKnown = /^(o200k|cl100k)_base$/.test([...names].join())
  return packs.map((pack, index) => {
    const charge = charges[index]!
    return charge && ((isKnown && countSaved(pack) - charge) || -Infinity)
  })
}

/** NaN if a count is missing. */
function countSaved(pack: PromptPack): number {
  const { tokens, token_count: content = tokens?.content, rosetta_tokens: header = tokens?.rosetta } = pack
  return countSource(pack)! - content! - header!
}

function countSource({
  tokens,
  uncompressed_estimate: source = tokens?.source,
}: PromptPack): number | undefined {
  return source
}
