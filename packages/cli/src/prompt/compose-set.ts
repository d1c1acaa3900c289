import { LINKS_SENTENCE } from '@packs/codec/internal'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from '@packs/codec/compress'

export interface SetRequest {
  readonly documents: readonly PromptDocument[]
  readonly options: ComposeOptions
}

export interface ComposedSet extends ComposedPrompt {
  readonly instructionTokens: number
}

/** @throws errors of the codec */
export async function composeSet({ documents, options }: SetRequest): Promise<ComposedSet> {
  const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
  const stated = documents.map(({ tokenizer = 'o200k_base' }) => tokenizer)
  const names = new Set(options.tokenizer === undefined ? stated : [options.tokenizer])
  for (const name of names) await loadTokenizer(name)
  const { composePrompt } = await import('@packs/codec/compress')
  const prompt = await composePrompt(documents, options)
  const counter = await loadTokenizer(prompt.tokenizer)
  const { text, terms, rosetta, links } = prompt
  const sentence = Object.keys(links).length === 0 ? '' : LINKS_SENTENCE
  const instruction = terms.length === 0 ? sentence : text.slice(0, text.indexOf(rosetta))
  return { ...prompt, instructionTokens: counter.countTokens(instruction) }
}
