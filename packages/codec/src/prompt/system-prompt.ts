import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import { framePacks } from './frame-packs.ts'
import { mergePacks } from './merge-packs.ts'

/** The fields of a pack document that a prompt uses. */
export interface PromptPack {
  readonly content: string
  readonly rosetta: string
  /** Written into the frame around the content; the slug is used if there is no title. */
  readonly title?: string | undefined
  readonly slug?: string | undefined
  readonly compression?: Scheme | undefined
  /** The three token counts of the document, from which `savedTokens` is computed. */
  readonly token_count?: number | undefined
  readonly rosetta_tokens?: number | undefined
  readonly uncompressed_estimate?: number | undefined
}

export interface SystemPrompt {
  /** The prompt. The same packs in the same order always give the same text. */
  readonly text: string
  /** The shared header; it decodes an answer, and the prompt itself. */
  readonly rosetta: string
  /** The entries of that header. */
  readonly terms: readonly RosettaEntry[]
  /** Tokens of the instruction in o200k_base; 0 if no pack has terms, because the instruction is left out then. */
  readonly instructionTokens: number
  /**
   * Tokens that the packs save as they were built, headers included; absent if a pack does not state its counts.
   * The prompt pays if this is more than `instructionTokens`.
   */
  readonly savedTokens?: number
}

/** Tokens of {@link INSTRUCTION} in o200k_base, paid once for all packs. */
export const INSTRUCTION_TOKENS: number = 19

/**
 * Creates a system prompt from packs that may have been built separately: an instruction, one header for all, and
 * each content in a frame whose name occurs in no content. Conflicting terms are replaced, and every content is
 * proven to decode to its source. Packs without terms get no instruction and header; a single pack gets no frame.
 *
 * @throws CodecError for a pack that does not decode, or if the joined header exceeds a maximum
 * @example
 * const { text, rosetta } = systemPrompt([pack])
 * const answer = decode(await ask(text, question), rosetta)
 */
export function systemPrompt(packs: readonly PromptPack[]): SystemPrompt {
  const { contents, entries } = mergePacks(packs)
  const rosetta = serializeRosetta({ entries })
  const hasHeader = entries.length > 0
  const text = framePacks(packs, contents, hasHeader ? rosetta : undefined)
  const saved = packs.reduce((sum, pack) => sum + countSaved(pack), 0)
  return {
    text,
    rosetta,
    terms: entries,
    instructionTokens: hasHeader ? INSTRUCTION_TOKENS : 0,
    ...(saved >= 0 || saved < 0 ? { savedTokens: saved } : {}),
  }
}

/** NaN if a count is missing. */
function countSaved({ uncompressed_estimate, token_count, rosetta_tokens }: PromptPack): number {
  return Number(uncompressed_estimate) - Number(token_count) - Number(rosetta_tokens)
}
