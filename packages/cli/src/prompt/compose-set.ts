import type { ComposedPrompt, ComposeOptions, PromptDocument, PromptShare } from '@packs/codec/compress'

export interface SetRequest {
  readonly documents: readonly PromptDocument[]
  readonly options: ComposeOptions
}

export interface ComposedSet extends ComposedPrompt {
  readonly instructionTokens: number
}

/** What is wrong with a request; threads cannot send errors with their properties. */
export interface SetFault {
  readonly code: string
  readonly message: string
  readonly hint: string
  /** Index of the document. */
  readonly pack?: number
  /** What each pack takes of a budget that is too small. */
  readonly shares?: readonly PromptShare[]
}

export type SetResponse =
  | { readonly composed: ComposedSet; readonly fault?: never }
  | { readonly composed?: never; readonly fault: SetFault }

/** Composes a prompt. Never throws. */
export async function composeSet({ documents, options }: SetRequest): Promise<SetResponse> {
  try {
    const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
    const stated = documents.map(({ tokenizer = 'o200k_base' }) => tokenizer)
    const names = new Set(options.tokenizer === undefined ? stated : [options.tokenizer])
    for (const name of names) await loadTokenizer(name)
    const { composePrompt } = await import('@packs/codec/compress')
    const prompt = await composePrompt(documents, options)
    const counter = await loadTokenizer(prompt.tokenizer)
    const instruction = prompt.terms.length === 0 ? 0 : prompt.text.indexOf(prompt.rosetta)
    return {
      composed: { ...prompt, instructionTokens: counter.countTokens(prompt.text.slice(0, instruction)) },
    }
  } catch (error) {
    return { fault: describeFault(error) }
  }
}

function describeFault(error: unknown): SetFault {
  const message = error instanceof Error ? error.message : String(error)
  // Errors of the codec have some or all of these properties.
  const { code, hint, pack, shares } = error as Partial<
    Omit<SetFault, 'pack'> & { readonly pack: { readonly index: number } }
  >
  if (typeof code !== 'string' || typeof hint !== 'string') return { code: 'internal', message, hint: '' }
  return {
    code,
    message,
    hint,
    ...(pack !== undefined && { pack: pack.index }),
    ...(shares !== undefined && shares.length > 0 && { shares }),
  }
}
