import type { Pack } from '../pack/pack-schema.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import { composePrompt } from './compose-prompt.ts'
import type { ComposedPrompt, ComposeOptions } from './types.ts'

/** The version of a pack that is in a prompt. */
export type PromptSource = Pick<Pack, 'slug' | 'version' | 'pack_digest'>

/** A prompt, and which packs it was composed of. */
export interface PackPrompt extends ComposedPrompt {
  /** The versions in the order of the prompt: for logs, and for the same prompt later. */
  readonly from: readonly PromptSource[]
}

export interface ComposePacksOptions extends ComposeOptions {
  /** Ends it before the prompt is composed. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Loads the tokenizers that packs and options name, and composes the prompt of the packs as
 * `composePrompt` does.
 *
 * @param packs in the order of the prompt
 * @throws {CompressError} and {TokenError} as `composePrompt` does
 * @throws the reason of the signal
 * @example
 * const { text, from } = await composePacks(packs, { budget: 8000 })
 */
export async function composePacks(
  packs: readonly Pack[],
  { signal, ...options }: ComposePacksOptions = {},
): Promise<PackPrompt> {
  const names = [...packs, options].map(({ tokenizer }) => tokenizer)
  for (const name of new Set(names)) if (name !== undefined) await loadTokenizer(name)
  signal?.throwIfAborted()
  const prompt = composePrompt(packs, options)
  const from = packs
    .slice(0, prompt.packs)
    .map(({ slug, version, pack_digest }) => ({ slug, version, pack_digest }))
  return { ...prompt, from }
}
