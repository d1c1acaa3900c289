import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import { mergePacks } from './merge-packs.ts'

/** What of a pack document a prompt is made of. */
export interface PromptPack {
  readonly content: string
  readonly rosetta: string
  /** Named in the frame around the content, else the slug. */
  readonly title?: string | undefined
  readonly slug?: string | undefined
  readonly compression?: Scheme | undefined
  /** The three counts of the document, in tokens, from which `savedTokens` is taken. */
  readonly token_count?: number | undefined
  readonly rosetta_tokens?: number | undefined
  readonly uncompressed_estimate?: number | undefined
}

export interface SystemPrompt {
  /** What to paste: the same packs in the same order always give the same text. */
  readonly text: string
  /** The one header that decodes an answer, and the text itself. */
  readonly rosetta: string
  /** The pairs of that header. */
  readonly terms: readonly RosettaEntry[]
  /** Tokens of the instruction in o200k_base; 0 where no pack has terms and it is left out. */
  readonly instructionTokens: number
  /**
   * Tokens that the packs save as they were built, headers paid; absent where a pack does not state its counts. The
   * prompt pays where this is more than `instructionTokens`.
   */
  readonly savedTokens?: number
}

/** What tells a model to read the terms. */
export const INSTRUCTION: string =
  'Read every term below as its expansion, listed as term=expansion after [DECODE].\n'

/** Tokens of {@link INSTRUCTION} in o200k_base: it is paid once, and pays from one saved token more. */
export const INSTRUCTION_TOKENS: number = 19

/**
 * Makes a system prompt of packs that may have been built apart: an instruction, one header for all, and each content in
 * a frame whose name occurs in none. Terms that clash are replaced; every content still decodes to its source, proven.
 * Packs without terms are given without instruction and header, and one alone without a frame.
 *
 * @throws CodecError for a pack that does not decode, or where the headers together pass the maxima.
 * @example
 * const { text, rosetta } = systemPrompt([pack])
 * const answer = decode(await ask(text, question), rosetta)
 */
export function systemPrompt(packs: readonly PromptPack[]): SystemPrompt {
  const { contents, entries } = mergePacks(packs)
  const rosetta = serializeRosetta({ entries })
  const head = entries.length ? `${INSTRUCTION}${rosetta}\n\n` : ''
  const titles = packs.map(({ title, slug }) =>
    (title ?? slug ?? '').replace(/[\s"<>&\p{Cc}]+/gu, ' ').trim(),
  )
  const frame = chooseFrame([rosetta, ...contents, ...titles].join('\n'))
  const framed = contents.map((content, index) => {
    const title = titles[index] && ` title="${titles[index]}"`
    return `<${frame}${title}>\n${content}\n</${frame}>\n`
  })
  const text = !head && packs.length === 1 ? contents[0]! : head + framed.join('')
  const saved = packs.reduce((sum, pack) => sum + countSaved(pack), 0)
  return {
    text,
    rosetta,
    terms: entries,
    instructionTokens: head ? INSTRUCTION_TOKENS : 0,
    ...(saved >= 0 || saved < 0 ? { savedTokens: saved } : {}),
  }
}

function chooseFrame(texts: string): string {
  for (let number = 1; ; number++) {
    const name = number > 1 ? `pack-${number}` : 'pack'
    if (!texts.includes(`<${name}`) && !texts.includes(`</${name}`)) return name
  }
}

/** NaN where a count is missing. */
function countSaved({ uncompressed_estimate, token_count, rosetta_tokens }: PromptPack): number {
  return Number(uncompressed_estimate) - Number(token_count) - Number(rosetta_tokens)
}
